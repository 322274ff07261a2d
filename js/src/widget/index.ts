/** The anywidget module. `initialize` owns the connection and returns at once; `render` only builds DOM. */

import type { Model } from "./channel";
import { Session } from "./session";
import { View } from "./view";

interface InitializeProps {
  model: Model;
}

interface RenderProps {
  model: Model;
  el: HTMLElement;
}

// A factory: anywidget calls it once for each model, so the session is shared by that model's views only.
export default () => {
  let session: Session | undefined;
  return {
    initialize({ model }: InitializeProps): () => void {
      const controller = new AbortController();
      session = new Session(model, controller.signal);
      return () => controller.abort();
    },
    render({ el }: RenderProps): () => void {
      if (!session) throw new Error("render was called before initialize");
      const view = new View(session, el);
      return () => view.dispose();
    },
  };
};
