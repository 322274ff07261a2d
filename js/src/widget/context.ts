/** The host context of the handshake: everything the browser knows about where a page is shown. */

import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps";
import type { JsonObject } from "./json";
import { DISPLAY_MODES, type DisplayMode, MAX_HEIGHT } from "./layout";
import { styleVariables, theme } from "./theme";

export type ContainerDimensions = NonNullable<McpUiHostContext["containerDimensions"]>;

/** The room a page has: its width is given; its height is its own choice where none is fixed. */
export function dimensions(width: number, height: number | undefined): ContainerDimensions {
  return height === undefined ? { width, maxHeight: MAX_HEIGHT } : { width, height };
}

/** The reader's language, BCP 47. */
export function locale(): string {
  return navigator.language || "en";
}

/**
 * Theme and style variables, the part of the context that changes with the notebook's theme.
 *
 * Without `styles.css.fonts`: the notebook's web fonts cannot pass a page's policy.
 */
export function themeContext(place: Element): Pick<McpUiHostContext, "theme" | "styles"> {
  return { theme: theme(), styles: { variables: styleVariables(place) } };
}

/** The whole host context (MCP Apps 2026-01-26) but for `toolInfo`, which the kernel knows. */
export function hostContext(
  place: Element,
  hostInfo: JsonObject,
  displayMode: DisplayMode,
  containerDimensions: ContainerDimensions,
): McpUiHostContext {
  const media = (query: string) => globalThis.matchMedia?.(query).matches ?? false;
  return {
    ...themeContext(place),
    displayMode,
    availableDisplayModes: [...DISPLAY_MODES],
    containerDimensions,
    locale: locale(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    userAgent: `${hostInfo.name ?? "mcpapps-jupyter"}/${hostInfo.version ?? "0"}`,
    platform: "web",
    deviceCapabilities: { touch: navigator.maxTouchPoints > 0, hover: media("(hover: hover)") },
    safeAreaInsets: { top: 0, right: 0, bottom: 0, left: 0 },
  };
}
