// Search in a page that was opened from a disk: browsers start no worker there, so a hidden frame
// plays one. It has what the search of the theme uses of a worker, and no more.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) =>
        setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
      const load = (source) =>
        new Promise((loaded, failed) => {
          const script = frame.contentDocument.createElement("script");
          Object.assign(script, { src: source, onload: loaded, onerror: failed });
          frame.contentDocument.body.appendChild(script);
        });
      inside.importScripts = (...sources) =>
        sources.reduce((before, source) => before.then(() => load(source)), Promise.resolve());
      this.deliver = (data) => inside.dispatchEvent(new inside.MessageEvent("message", { data }));
      load(new URL(address, document.baseURI).href).then(() => {
        this.ready = true;
        this.waiting.forEach(this.deliver);
      });
      this.addEventListener("message", (event) => this.onmessage && this.onmessage(event));
    }

    postMessage(data) {
      if (this.ready) this.deliver(data);
      else this.waiting.push(data);
    }

    terminate() {}
  };
}
