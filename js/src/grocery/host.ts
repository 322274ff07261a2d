/** What the page asks of its host, in the words of the page. */

import type { App } from "@modelcontextprotocol/ext-apps";
import { inWords, PATIENCE, Refusal } from "./server";
import type { Filter, Row } from "./stock";
import { csv, orderText, selectionText } from "./texts";

export interface Abilities {
  message: boolean;
  download: boolean;
  fullscreen: boolean;
}

/** Hosts add fields to their answers; this one says that they did not do it. */
type Answer = { [field: string]: unknown; isError?: unknown };

export class Host {
  constructor(private readonly app: App) {}

  abilities(): Abilities {
    const can = this.app.getHostCapabilities();
    const modes = this.app.getHostContext()?.availableDisplayModes;
    return {
      message: Boolean(can?.message),
      download: Boolean(can?.downloadFile),
      fullscreen: Boolean(modes?.includes("fullscreen")),
    };
  }

  /** Tell the model, and whoever reads its context, what is selected. A host that has no model is no trouble. */
  async tellModel(selected: Row[], filter: Filter): Promise<void> {
    try {
      await this.app.updateModelContext({
        content: [{ type: "text", text: selectionText(selected) }],
        structuredContent: { selected, filter },
      });
    } catch (error) {
      await this.app.sendLog({
        level: "info",
        logger: "dashboard",
        data: `Selection not told: ${inWords(error)}`,
      });
    }
  }

  /**
   * What an earlier document of this page told the model: pages have no storage, so some hosts give it back.
   * Null where it was taken away, undefined where nothing is known.
   */
  told(): { selected: Row[]; filter: Filter } | null | undefined {
    const meta = this.app.getHostContext()?._meta as Record<string, unknown> | undefined;
    const context = meta?.["mcpapps-jupyter/modelContext"] as
      | { structuredContent?: unknown }
      | null
      | undefined;
    return context && (context.structuredContent as { selected: Row[]; filter: Filter });
  }

  /** Hand a request for orders over, as if the person had written it. */
  draftOrder(items: Row[]): Promise<void> {
    return this.ask("The order was not sent.", () =>
      this.app.sendMessage({ role: "user", content: [{ type: "text", text: orderText(items) }] }, PATIENCE),
    );
  }

  /** Offer the rows as a file. */
  download(items: Row[]): Promise<void> {
    return this.ask("The file was not saved.", () =>
      this.app.downloadFile(
        {
          contents: [
            {
              type: "resource",
              resource: { uri: "file:///inventory.csv", mimeType: "text/csv", text: csv(items) },
            },
          ],
        },
        PATIENCE,
      ),
    );
  }

  async toggleFullscreen(): Promise<void> {
    const mode = this.app.getHostContext()?.displayMode === "fullscreen" ? "inline" : "fullscreen";
    await this.ask("The display mode was not changed.", () => this.app.requestDisplayMode({ mode }));
  }

  private async ask(refused: string, request: () => Promise<Answer>): Promise<void> {
    let answer: Answer;
    try {
      answer = await request();
    } catch (error) {
      throw new Refusal(`${refused} ${inWords(error)}`);
    }
    if (answer.isError) throw new Refusal(refused);
  }
}
