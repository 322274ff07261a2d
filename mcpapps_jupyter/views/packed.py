"""A front-end module as text that unpacks itself.

A widget's module is sent with every widget, and some savers (nbclient, papermill) write it into the notebook
once per widget; browsers keep each that they have ever loaded. So it travels as a third of its size, and all
widgets of one tab share one module.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from functools import cache
from pathlib import Path

_STATIC = Path(__file__).parent.parent / "static"
_LOADER = """\
const packed = "{packed}";
const unpack = async () => {{
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const source = await new Response(stream, {{ headers: {{ "content-type": "text/javascript" }} }}).blob();
  const url = URL.createObjectURL(source);
  try {{
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ url);
  }} finally {{
    URL.revokeObjectURL(url);
  }}
}};
const key = Symbol.for("mcpapps_jupyter {digest}");
globalThis[key] ??= unpack();
globalThis[key].catch(() => {{ delete globalThis[key]; }});
export default (await globalThis[key]).default;
"""


@cache  # several kinds of widgets have the same
def packed_module(name: str) -> str:
    """The built front-end module ``static/NAME``, as the text of a module that is the same and much smaller.

    Parameters
    ----------
    name
        Name of an ES module that has nothing but a default export.
    """
    source = (_STATIC / name).read_bytes()
    digest = hashlib.sha256(source).hexdigest()[:16]
    # Without a time, so that a saved notebook stays the same.
    return _LOADER.format(packed=base64.b64encode(gzip.compress(source, mtime=0)).decode(), digest=digest)
