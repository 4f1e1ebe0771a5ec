// The parts of WebAssembly that are used: Node has them, but only the types for browsers declare them.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    readonly buffer: SharedArrayBuffer;
    constructor(size: { readonly initial: number; readonly maximum: number; readonly shared: true });
    /** Grows by this number of pages of 64 KiB. @throws RangeError if they are not available */
    grow(pages: number): number;
  }
  class Instance {
    readonly exports: Readonly<Record<string, unknown>>;
    constructor(module: Module, imports: { readonly env: { readonly memory: Memory } });
  }
}
