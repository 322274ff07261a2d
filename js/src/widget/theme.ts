/**
 * The notebook's theme as a page sees it: light or dark, and the specification's style variables
 * (MCP Apps 2026-01-26, `hostContext.styles.variables`) computed from JupyterLab's or VS Code's own.
 */

import type { McpUiStyleVariableKey, McpUiTheme } from "@modelcontextprotocol/ext-apps";

export type StyleVariables = Record<McpUiStyleVariableKey, string>;

/** Red, green, blue (0–255) and alpha (0–1) of a computed colour. */
export function parseColor(text: string): [number, number, number, number] | undefined {
  const srgb = /^color\(srgb /.test(text);
  if (!srgb && !/^rgba?\(/.test(text)) return undefined;
  const numbers = text
    .match(/-?[\d.]+(?:e-?\d+)?%?/g)
    ?.map((n) => (n.endsWith("%") ? parseFloat(n) / 100 : Number(n)));
  if (!numbers || numbers.length < 3) return undefined;
  const [r = 0, g = 0, b = 0, a = 1] = numbers;
  const scale = srgb ? 255 : 1;
  return [Math.round(r * scale), Math.round(g * scale), Math.round(b * scale), a];
}

/** Perceived brightness, 0 (black) to 1 (white). */
function brightness([r, g, b]: [number, number, number, number]): number {
  return (0.299 * r + 0.587 * g + 0.114 * b) / 255;
}

/** Plain `rgb()` or `rgba()`: what a page can use in CSS and on a canvas alike. */
function plain(color: string): string {
  const parsed = parseColor(color);
  if (!parsed) return color;
  const [r, g, b, a] = parsed;
  return a === 1 ? `rgb(${r}, ${g}, ${b})` : `rgba(${r}, ${g}, ${b}, ${a})`;
}

/** Whether the notebook is dark: its own word, else its background, else the system's preference. */
export function theme(): McpUiTheme {
  const { body } = document;
  const said = body.dataset.jpThemeLight;
  if (said === "true" || said === "false") return said === "true" ? "light" : "dark";
  const code = `${body.className} ${body.dataset.vscodeThemeKind ?? ""} ${document.documentElement.className}`;
  if (/vscode-(dark|high-contrast(?!-light))/.test(code)) return "dark";
  if (/vscode-(light|high-contrast-light)/.test(code)) return "light";
  return globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** The variables' definitions in CSS, to be resolved where the widget stands. */
function definitions(dark: boolean): StyleVariables {
  const pick = (light: string, other: string) => (dark ? other : light);
  const jp = (name: string, fallback: string) => `var(--jp-${name}, ${fallback})`;
  const mix = (color: string, share: number, other: string) =>
    `color-mix(in srgb, ${color} ${share}%, ${other})`;

  const ground = jp("layout-color0", `var(--vscode-editor-background, ${pick("#ffffff", "#111111")})`);
  const ink = jp(
    "content-font-color1",
    `var(--vscode-editor-foreground, ${pick("rgba(0,0,0,.87)", "#ffffff")})`,
  );
  const ink2 = jp("content-font-color2", pick("rgba(0,0,0,.6)", "rgba(255,255,255,.7)"));
  const ink3 = jp("content-font-color3", pick("rgba(0,0,0,.42)", "rgba(255,255,255,.5)"));
  const inverse = jp("inverse-layout-color1", pick("#212121", "#ffffff"));
  const inverseInk = jp("ui-inverse-font-color0", pick("#ffffff", "#000000"));
  const line = jp("border-color1", pick("#bdbdbd", "#616161"));
  const line2 = jp("border-color2", pick("#e0e0e0", "#424242"));
  const brand = jp("brand-color1", `var(--vscode-focusBorder, ${pick("#1976d2", "#2196f3")})`);

  const tones = {
    info: brand,
    danger: jp("error-color1", pick("#d32f2f", "#f44336")),
    success: jp("success-color1", pick("#388e3c", "#4caf50")),
    warning: jp("warn-color1", pick("#f57c00", "#ff9800")),
  };
  // Text needs more contrast than a tone has: darker than it on white, paler than it on black.
  const toneInk = (tone: string) => mix(tone, dark ? 65 : 78, dark ? "white" : "black");
  const size = (em: number) => `calc(${jp("content-font-size1", "14px")} * ${em})`;
  const shadow = (y: number, blur: number, alpha: number) =>
    `0 ${y}px ${blur}px rgba(0, 0, 0, ${dark ? Math.min(1, alpha * 2.5) : alpha})`;

  return {
    "--color-background-primary": ground,
    "--color-background-secondary": jp("cell-editor-background", pick("#f5f5f5", "#212121")),
    "--color-background-tertiary": jp("layout-color2", pick("#eeeeee", "#424242")),
    "--color-background-inverse": inverse,
    "--color-background-ghost": "transparent",
    "--color-background-info": mix(tones.info, 14, ground),
    "--color-background-danger": mix(tones.danger, 14, ground),
    "--color-background-success": mix(tones.success, 14, ground),
    "--color-background-warning": mix(tones.warning, 14, ground),
    "--color-background-disabled": mix("gray", 16, ground),
    "--color-text-primary": ink,
    "--color-text-secondary": ink2,
    "--color-text-tertiary": ink3,
    "--color-text-inverse": inverseInk,
    "--color-text-ghost": ink2,
    "--color-text-info": toneInk(tones.info),
    "--color-text-danger": toneInk(tones.danger),
    "--color-text-success": toneInk(tones.success),
    "--color-text-warning": toneInk(tones.warning),
    "--color-text-disabled": ink3,
    "--color-border-primary": line,
    "--color-border-secondary": line2,
    "--color-border-tertiary": jp("border-color3", pick("#eeeeee", "#212121")),
    "--color-border-inverse": jp("inverse-border-color", "#757575"),
    "--color-border-ghost": "transparent",
    "--color-border-info": mix(tones.info, 55, ground),
    "--color-border-danger": mix(tones.danger, 55, ground),
    "--color-border-success": mix(tones.success, 55, ground),
    "--color-border-warning": mix(tones.warning, 55, ground),
    "--color-border-disabled": line2,
    "--color-ring-primary": brand,
    "--color-ring-secondary": line,
    "--color-ring-inverse": inverse,
    "--color-ring-info": tones.info,
    "--color-ring-danger": tones.danger,
    "--color-ring-success": tones.success,
    "--color-ring-warning": tones.warning,
    "--font-sans": jp("content-font-family", `var(--vscode-font-family, system-ui, sans-serif)`),
    "--font-mono": jp("code-font-family", `var(--vscode-editor-font-family, ui-monospace, monospace)`),
    "--font-weight-normal": "400",
    "--font-weight-medium": "500",
    "--font-weight-semibold": "600",
    "--font-weight-bold": "700",
    "--font-text-xs-size": size(0.786),
    "--font-text-sm-size": size(0.857),
    "--font-text-md-size": size(1),
    "--font-text-lg-size": size(1.143),
    "--font-heading-xs-size": size(0.857),
    "--font-heading-sm-size": size(1),
    "--font-heading-md-size": size(1.143),
    "--font-heading-lg-size": size(1.286),
    "--font-heading-xl-size": size(1.571),
    "--font-heading-2xl-size": size(1.857),
    "--font-heading-3xl-size": size(2.286),
    "--font-text-xs-line-height": "1.4",
    "--font-text-sm-line-height": "1.4",
    "--font-text-md-line-height": "1.5",
    "--font-text-lg-line-height": "1.5",
    "--font-heading-xs-line-height": "1.4",
    "--font-heading-sm-line-height": "1.4",
    "--font-heading-md-line-height": "1.35",
    "--font-heading-lg-line-height": "1.3",
    "--font-heading-xl-line-height": "1.25",
    "--font-heading-2xl-line-height": "1.2",
    "--font-heading-3xl-line-height": "1.15",
    "--border-radius-xs": jp("border-radius", "2px"),
    "--border-radius-sm": "4px",
    "--border-radius-md": "6px",
    "--border-radius-lg": "8px",
    "--border-radius-xl": "12px",
    "--border-radius-full": "9999px",
    "--border-width-regular": "1px",
    "--shadow-hairline": `0 0 0 1px ${pick("rgba(0, 0, 0, 0.08)", "rgba(255, 255, 255, 0.12)")}`,
    "--shadow-sm": shadow(1, 2, 0.1),
    "--shadow-md": `${shadow(2, 6, 0.1)}, ${shadow(1, 2, 0.08)}`,
    "--shadow-lg": `${shadow(8, 24, 0.14)}, ${shadow(2, 6, 0.08)}`,
  };
}

/** Which CSS property resolves a variable's definition; the others are literal already. */
function property(name: string): "color" | "fontFamily" | "fontSize" | "borderTopLeftRadius" | undefined {
  if (name.startsWith("--color-")) return "color";
  if (name === "--font-sans" || name === "--font-mono") return "fontFamily";
  if (name.endsWith("-size")) return "fontSize";
  if (name === "--border-radius-xs") return "borderTopLeftRadius";
  return undefined;
}

/** Every style variable of the specification, resolved to plain values below `place`. */
export function styleVariables(place: Element): StyleVariables {
  const variables = definitions(theme() === "dark");
  const names = Object.keys(variables) as McpUiStyleVariableKey[];
  // All probes at once: one style pass instead of one per variable.
  const probe = document.createElement("div");
  probe.style.cssText = "position:absolute;width:0;height:0;overflow:hidden;visibility:hidden";
  const spans = names.map((name) => {
    const span = document.createElement("span");
    const key = property(name);
    if (key) span.style[key] = variables[name];
    probe.append(span);
    return span;
  });
  place.append(probe);
  names.forEach((name, i) => {
    const key = property(name);
    const span = spans[i];
    if (!key || !span) return;
    const value = getComputedStyle(span)[key];
    if (value) variables[name] = key === "color" ? plain(value) : value;
  });
  probe.remove();
  return variables;
}

/** Calls back when the notebook's theme may have changed, again once its style sheets have settled. */
export function watchTheme(changed: () => void, signal: AbortSignal): void {
  let timers: ReturnType<typeof setTimeout>[] = [];
  const soon = () => {
    timers.forEach(clearTimeout);
    timers = [30, 400].map((ms) => setTimeout(changed, ms));
  };
  const observer = new MutationObserver(soon);
  const attributes = [
    "class",
    "style",
    "data-jp-theme-light",
    "data-jp-theme-name",
    "data-vscode-theme-kind",
  ];
  observer.observe(document.body, { attributeFilter: attributes });
  observer.observe(document.documentElement, { attributeFilter: attributes });
  const media = globalThis.matchMedia?.("(prefers-color-scheme: dark)");
  media?.addEventListener("change", soon, { signal });
  signal.addEventListener("abort", () => {
    observer.disconnect();
    timers.forEach(clearTimeout);
  });
}

/**
 * How to frame a page that looks as it reports: the inner frame's colour scheme, which has to equal the page's
 * own or the browser paints an opaque ground, and a ground for dark text that expects white paper.
 */
export function framing(look: readonly string[], dark: boolean): { scheme: string; backdrop: string } {
  const [scheme = "", ink = "", ...grounds] = look;
  const words = scheme.split(/\s+/);
  const canDark = words.includes("dark");
  const isDark = canDark && (dark || !words.includes("light"));
  const paintsItself = grounds.some((ground) => (parseColor(ground)?.[3] ?? 0) > 0.5);
  const color = parseColor(ink);
  let backdrop = "";
  if (color && !paintsItself) {
    if (dark && brightness(color) < 0.4) backdrop = "#fff";
    if (!dark && brightness(color) > 0.75) backdrop = "#1e1e1e";
  }
  return { scheme: isDark ? "dark" : "light", backdrop };
}
