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

const ROLES = "primary secondary tertiary inverse ghost info danger success warning disabled".split(" ");

/** The variables' definitions in CSS, to be resolved where the widget stands. */
function definitions(dark: boolean): [McpUiStyleVariableKey, string][] {
  const pick = (light: string, other: string) => (dark ? other : light);
  const jp = (name: string, fallback: string) => `var(--jp-${name}, ${fallback})`;
  const mix = (color: string, share: number, other: string) =>
    `color-mix(in srgb, ${color} ${share}%, ${other})`;
  const font = (name: string, code: string, fallback: string) =>
    jp(`${name}-font-family`, `var(--vscode-${code}font-family, ${fallback})`);

  const ground = jp("layout-color0", `var(--vscode-editor-background, ${pick("#fff", "#111")})`);
  const ink = jp(
    "content-font-color1",
    `var(--vscode-editor-foreground, ${pick("rgba(0,0,0,.87)", "#fff")})`,
  );
  const ink2 = jp("content-font-color2", mix(ink, 65, "transparent"));
  const ink3 = jp("content-font-color3", mix(ink, 45, "transparent"));
  const inverse = jp("inverse-layout-color1", pick("#212121", "#fff"));
  const line = jp("border-color1", pick("#bdbdbd", "#616161"));
  const line2 = jp("border-color2", pick("#e0e0e0", "#424242"));
  const clear = "transparent";
  const tones = [
    jp("brand-color1", `var(--vscode-focusBorder, ${pick("#1976d2", "#2196f3")})`),
    jp("error-color1", pick("#d32f2f", "#f44336")),
    jp("success-color1", pick("#388e3c", "#4caf50")),
    jp("warn-color1", pick("#f57c00", "#ff9800")),
  ];
  // Text needs more contrast than a tone has: darker than it on white, paler than it on black.
  const inks = tones.map((tone) => mix(tone, dark ? 65 : 78, dark ? "white" : "black"));
  const faint = tones.map((tone) => mix(tone, 14, ground));
  const edges = tones.map((tone) => mix(tone, 55, ground));
  const shade = jp("layout-color2", pick("#eee", "#424242"));
  const shadow = (y: number, blur: number, alpha: number) =>
    `0 ${y}px ${blur}px rgba(0, 0, 0, ${dark ? alpha * 2.5 : alpha})`;

  // In the order of ROLES; an empty one is not part of the specification.
  const colors: Record<string, string[]> = {
    background: [
      ground,
      jp("cell-editor-background", pick("#f5f5f5", "#212121")),
      shade,
      inverse,
      clear,
      ...faint,
      shade,
    ],
    text: [ink, ink2, ink3, jp("ui-inverse-font-color0", pick("#fff", "#000")), ink2, ...inks, ink3],
    border: [
      line,
      line2,
      jp("border-color3", line2),
      jp("inverse-border-color", "#757575"),
      clear,
      ...edges,
      line2,
    ],
    ring: [tones[0] ?? "", line, "", inverse, "", ...tones],
  };
  const texts: Record<string, [string, number, number][]> = {
    text: [
      ["xs", 11, 1.4],
      ["sm", 12, 1.4],
      ["md", 14, 1.5],
      ["lg", 16, 1.5],
    ],
    heading: [
      ["xs", 12, 1.4],
      ["sm", 14, 1.4],
      ["md", 16, 1.35],
      ["lg", 18, 1.3],
      ["xl", 22, 1.25],
      ["2xl", 26, 1.2],
      ["3xl", 32, 1.15],
    ],
  };
  const found: Record<string, string> = {
    "--font-sans": font("content", "", "system-ui, sans-serif"),
    "--font-mono": font("code", "editor-", "ui-monospace, monospace"),
    "--border-radius-xs": jp("border-radius", "2px"),
    "--border-width-regular": "1px",
    "--shadow-hairline": `0 0 0 1px ${pick("rgba(0, 0, 0, 0.08)", "rgba(255, 255, 255, 0.12)")}`,
    "--shadow-sm": shadow(1, 2, 0.1),
    "--shadow-md": shadow(2, 6, 0.14),
    "--shadow-lg": shadow(8, 24, 0.16),
  };
  const weights = { normal: 400, medium: 500, semibold: 600, bold: 700 };
  const radii = { sm: 4, md: 6, lg: 8, xl: 12, full: 9999 };
  for (const [group, values] of Object.entries(colors)) {
    values.forEach((value, i) => {
      if (value) found[`--color-${group}-${ROLES[i]}`] = value;
    });
  }
  for (const [group, sizes] of Object.entries(texts)) {
    for (const [name, pixels, height] of sizes) {
      // Sized for JupyterLab's 14 px; a reader's larger text makes all of them larger.
      found[`--font-${group}-${name}-size`] = `calc(${jp("content-font-size1", "14px")} * ${pixels / 14})`;
      found[`--font-${group}-${name}-line-height`] = String(height);
    }
  }
  for (const [name, weight] of Object.entries(weights)) found[`--font-weight-${name}`] = String(weight);
  for (const [name, radius] of Object.entries(radii)) found[`--border-radius-${name}`] = `${radius}px`;
  return Object.entries(found) as [McpUiStyleVariableKey, string][];
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
  // All probes at once: one style pass instead of one per variable.
  const probe = document.createElement("div");
  probe.style.cssText = "position:absolute;width:0;height:0;overflow:hidden;visibility:hidden";
  const probes = definitions(theme() === "dark").map(([name, definition]) => {
    const key = property(name);
    const span = document.createElement("span");
    if (key) span.style[key] = definition;
    probe.append(span);
    return { name, definition, key, span };
  });
  place.append(probe);
  const variables = probes.map(({ name, definition, key, span }) => {
    const value = (key && getComputedStyle(span)[key]) || definition;
    return [name, key === "color" ? plain(value) : key === "fontSize" ? roundPixels(value) : value];
  });
  probe.remove();
  return Object.fromEntries(variables) as StyleVariables;
}

function roundPixels(size: string): string {
  const pixels = parseFloat(size);
  return size.endsWith("px") ? `${Math.round(pixels * 100) / 100}px` : size;
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

export interface Framing {
  /** The inner frame's colour scheme: it has to equal the page's own or the browser paints an opaque ground. */
  scheme: string;
  /** A ground for text that would not be legible on the notebook's: dark text that expects white paper. */
  backdrop: string;
  /** Whether the notebook's ground shows through, so that the page may stand off from the border. */
  transparent: boolean;
}

/** How to frame a page that looks as it reports. */
export function framing(look: readonly string[], dark: boolean): Framing {
  // Nothing reported yet: a page that asks for the reader's preference is to see the notebook's.
  const [scheme = dark ? "dark" : "light", prefersDark = "", ink = "", ...grounds] = look;
  const words = scheme.split(/\s+/);
  const isDark = words.includes("dark") && (prefersDark === "true" || !words.includes("light"));
  const paintsItself = grounds.some((ground) => (parseColor(ground)?.[3] ?? 0) > 0.5);
  const color = parseColor(ink);
  let backdrop = "";
  if (color && !paintsItself) {
    if (dark && brightness(color) < 0.4) backdrop = "#fff";
    if (!dark && brightness(color) > 0.75) backdrop = "#1e1e1e";
  }
  return { scheme: isDark ? "dark" : "light", backdrop, transparent: !paintsItself && !backdrop };
}
