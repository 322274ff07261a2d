/** What the style sheets of the widget and of the log table have in common. */

/** Declarations of what both are drawn with: JupyterLab's variables, else VS Code's, else the system's. */
export const PALETTE = `
--m-bg:var(--jp-layout-color0,var(--vscode-editor-background,Canvas));
--m-bar:var(--jp-layout-color1,var(--vscode-sideBar-background,Canvas));
--m-ink:var(--jp-ui-font-color1,var(--vscode-editor-foreground,CanvasText));
--m-quiet:var(--jp-ui-font-color2,GrayText);
--m-line:var(--jp-border-color2,rgba(128,128,128,.3));
--m-brand:var(--jp-brand-color1,var(--vscode-focusBorder,#1976d2));
--m-warn:var(--jp-warn-color1,#f57c00);
--m-error:var(--jp-error-color1,#d32f2f);
color-scheme:light;margin:2px 0 4px;border:1px solid var(--m-line);border-radius:6px;overflow:hidden;
background:var(--m-bg);color:var(--m-ink);font:var(--jp-ui-font-size1,13px)/1.4 var(--jp-ui-font-family,system-ui,sans-serif)`;

/** Puts a style sheet once into the document that `element` is in, or into its shadow root. */
export function installSheet(element: HTMLElement, id: string, css: string): void {
  const root = element.getRootNode();
  const place = root instanceof ShadowRoot ? root : document.head;
  const before = place.querySelector(`#${id}`);
  if (before?.textContent === css) return;
  before?.remove();
  const style = document.createElement("style");
  style.id = id;
  style.textContent = css;
  place.append(style);
}
