/** The log table's style sheet, on JupyterLab's variables with fallbacks. */

const CSS = `
.mcpapp-log{
--bg:var(--jp-layout-color0,var(--vscode-editor-background,Canvas));
--bar:var(--jp-layout-color1,var(--vscode-sideBar-background,Canvas));
--hover:rgba(128,128,128,.12);
--ink:var(--jp-ui-font-color1,var(--vscode-editor-foreground,CanvasText));
--quiet:var(--jp-ui-font-color2,GrayText);
--line:var(--jp-border-color2,rgba(128,128,128,.3));
--brand:var(--jp-brand-color1,var(--vscode-focusBorder,#1976d2));
--mark:transparent;
container-type:inline-size;position:relative;margin:2px 0 4px;
border:1px solid var(--line);border-radius:6px;overflow:hidden;background:var(--bg);color:var(--ink);
font:var(--jp-ui-font-size1,13px)/1.4 var(--jp-ui-font-family,system-ui,sans-serif);color-scheme:light;
:is([data-jp-theme-light=false],.vscode-dark,.vscode-high-contrast) &{color-scheme:dark}
&,*{box-sizing:border-box}
[hidden]{display:none!important}
.log-tools{display:flex;flex-wrap:wrap;align-items:center;gap:5px 6px;padding:5px 8px 5px 10px;background:var(--bar);border-bottom:1px solid var(--line)}
b{font-weight:600;margin-right:4px;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.log-chips{display:flex;flex-wrap:wrap;gap:3px;min-width:0}
button,select,input{font:inherit;font-size:12px;height:24px;color:inherit;border:1px solid var(--line);border-radius:4px;background:var(--bg);padding:0 8px}
select{padding:0 2px;max-width:100%}
input{flex:1 1 90px;min-width:70px;max-width:260px}
button{cursor:pointer;
&:hover{background:var(--hover)}
&[aria-pressed=true]{border-color:var(--brand);background:color-mix(in srgb,var(--brand) 16%,var(--bg))}}
.log-chips button{border-radius:12px}
.log-chips [aria-pressed=false]{color:var(--quiet)}
:is(button,select,input,summary,pre,.log-scroll):focus-visible{outline:2px solid var(--brand);outline-offset:-2px}
.log-count{margin-left:auto;color:var(--quiet);font-size:12px;white-space:nowrap;font-variant-numeric:tabular-nums}
.log-scroll{max-height:340px;overflow:auto;scrollbar-width:thin;overscroll-behavior:contain}
table{width:100%;margin:0;border:0;border-collapse:collapse;table-layout:fixed;font-size:12px}
th,td{padding:2px 8px;vertical-align:top;text-align:left;white-space:normal;border:0;max-width:none}
th{position:sticky;top:0;z-index:1;font-weight:500;color:var(--quiet);background:var(--bg);box-shadow:inset 0 -1px var(--line)}
tr{background:none!important}
tbody tr:hover{background:var(--hover)!important}
td{border-top:1px solid color-mix(in srgb,var(--line) 45%,transparent);font-family:var(--jp-code-font-family,ui-monospace,monospace)}
.log-time{width:104px;font-variant-numeric:tabular-nums}
.log-source{width:70px}
.log-level{width:82px}
td:is(.log-time,.log-source),[data-level=debug] td,[data-level=info] .log-level,i,small,.log-nothing td{color:var(--quiet)}
td.log-text{overflow-wrap:anywhere;white-space:pre-wrap}
td:first-child{box-shadow:inset 3px 0 var(--mark)}
[data-level=warning]{--mark:var(--jp-warn-color1,#f57c00);.log-level{font-weight:600}}
:is([data-level=error],[data-level=critical],[data-level=alert],[data-level=emergency]){--mark:var(--jp-error-color1,#d32f2f);
background:color-mix(in srgb,var(--mark) 8%,transparent)!important;
.log-level{font-weight:600}}
i{font-style:normal;margin-right:8px}
small{margin-left:10px;font-size:11px;white-space:nowrap}
.log-nothing td{padding:14px 10px;font-family:inherit}
summary{cursor:pointer;margin-left:12px}
pre{max-height:260px;overflow:auto;margin:3px 0 5px 12px;padding:6px 8px;white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);border-radius:4px;background:var(--bar);color:var(--ink);font:inherit}
.log-unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@container (max-width:620px){
thead{position:absolute;clip-path:inset(50%)}
tbody tr:not(.log-nothing){display:grid;grid-template-columns:auto auto 1fr;padding:3px 0;border-top:1px solid color-mix(in srgb,var(--line) 45%,transparent);box-shadow:inset 3px 0 var(--mark)}
td{border-top:0;padding:0 0 0 10px;box-shadow:none!important}
.log-time,.log-source,.log-level{width:auto;font-size:11px}
td.log-text{grid-column:1/-1;padding-right:8px}
input{max-width:none}
.log-count,.log-tools>button{order:-1}
b{order:-2}
.log-scroll{max-height:400px}}
}
.jp-OutputArea-child:has(.mcpapp-log)+.jp-OutputArea-child:has(.mcpapp-log-static){display:none}
`;

const ID = "mcpapp-log-style";

/** Makes sure that the style sheet is there for `root`, in its shadow root if it is in one. */
export function installStyle(root: HTMLElement): void {
  const node = root.getRootNode();
  const place = node instanceof ShadowRoot ? node : document.head;
  if (place.querySelector(`#${ID}`)?.textContent === CSS) return;
  place.querySelector(`#${ID}`)?.remove();
  const style = document.createElement("style");
  style.id = ID;
  style.textContent = CSS;
  place.append(style);
}
