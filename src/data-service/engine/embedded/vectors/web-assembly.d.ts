// What we use of WebAssembly, which Node has and its types leave to those of browsers.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    readonly buffer: SharedArrayBuffer;
    constructor(size: { readonly initial: number; readonly maximum: number; readonly shared: true });
    /** Grows by so many pages of 64 KiB. @throws RangeError where they are not to be had */
    grow(pages: number): number;
  }
  class Instance {
    readonly exports: Readonly<Record<string, unknown>>;
    constructor(module: Module, imports: { readonly env: { readonly memory: Memory } });
  }
}
