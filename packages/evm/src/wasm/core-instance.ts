/** Runs one call at a time. */
import { CORE_WASM_BASE64 } from './core-wasm.generated.ts'
import { HASH_SEEDS, MEMORY, PAGE } from './layout.ts'
import { CoreMemory, type LinearMemory } from './memory.ts'
import { CompiledFunctions, type FunctionTable } from './tiering/compiled-functions.ts'
import { HotCode, type TierOptions } from './tiering/hot-code.ts'

declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
  readonly Memory: new (limits: { readonly initial: number; readonly maximum: number }) => LinearMemory
}

/** Numbers are addresses in the core's memory. WebAssembly makes those of slots signed. */
export interface CoreHost {
  openAccount(account: number): void
  loadAccount(account: number): void
  openSlot(slot: number): void
  loadSlot(slot: number): void
  loadCode(account: number): number
  keepCode(hash: number, code: number, length: number): void
  blockHash(number: bigint, out: number): number
  precompile(id: number, input: number, length: number, gas: bigint, lengthOut: number): bigint
  poll(): void
  limit(what: number): void
  /** `failure` is a HALT constant. */
  traceStep(frame: number, opcode: number, cost: bigint, refund: bigint, failure: number): void
  traceEnter(): void
  traceExit(): void
  traceLog(log: number): void
}

export interface CoreExports {
  readonly table: FunctionTable
  execute(): void
  findCode(hash: number): number
  allocateCode(hash: number, length: number): number
  sealCode(record: number): void
  reachMemory(end: number): void
  accountCount(): number
  /** Zero when the call has not met the account. */
  findAccount(address: number): number
  findSlot(account: number, key: number, kind: number): number
  slotCount(): number
  /** Takes a number below `slotCount`. */
  slotAddress(i: number): number
  logMark(): number
}

const MAX_PAGES = 65_536
export const SEED_BYTES = 80

const module = new WebAssembly.Module(Uint8Array.from(atob(CORE_WASM_BASE64), (char) => char.charCodeAt(0)))

export class CoreInstance {
  readonly memory: CoreMemory
  readonly exports: CoreExports
  /** The session whose block is in the context. */
  configuredFor: object | null = null
  /** `forkTableKey` of the table in the context. */
  forkTable: string | null = null
  readonly hotCode: HotCode | null
  /** Reads what the last call left in the tables. */
  beforeNextCall: (() => void) | null = null
  /** Says why the precompile that failed last did so. It is called only for a text that somebody reads. */
  precompileFailure: () => string = () => ''
  #host: CoreHost | null = null

  /** `seed` is secret: it protects the hash tables. */
  constructor(seed: Uint8Array, tiers: TierOptions | null = null) {
    const memory = new WebAssembly.Memory({ initial: MEMORY / PAGE, maximum: MAX_PAGES })
    this.memory = new CoreMemory(memory)
    this.memory.bytes.set(seed.subarray(0, SEED_BYTES), HASH_SEEDS)
    const env = { memory, ...this.#imports() }
    this.exports = new WebAssembly.Instance(module, { env }).exports as CoreExports
    this.hotCode = tiers === null ? null : this.#openTier(memory, tiers)
  }

  execute(host: CoreHost): void {
    this.beforeNextCall?.()
    this.beforeNextCall = null
    this.#host = host
    this.exports.execute()
    this.#host = null
  }

  #openTier(memory: LinearMemory, tiers: TierOptions): HotCode {
    const functions = new CompiledFunctions(memory, this.exports, tiers.maxFunctions)
    return new HotCode(this.memory, (hash) => this.exports.findCode(hash), functions, tiers)
  }

  #imports(): CoreHost {
    const host = () => this.#host as CoreHost
    return {
      openAccount: (account) => host().openAccount(account),
      loadAccount: (account) => host().loadAccount(account),
      openSlot: (slot) => host().openSlot(slot >>> 0),
      loadSlot: (slot) => host().loadSlot(slot >>> 0),
      loadCode: (account) => host().loadCode(account),
      keepCode: (hash, code, length) => host().keepCode(hash, code, length),
      blockHash: (number, out) => host().blockHash(number, out),
      precompile: (id, input, length, gas, lengthOut) => host().precompile(id, input, length, gas, lengthOut),
      poll: () => host().poll(),
      limit: (what) => host().limit(what),
      traceStep: (frame, opcode, cost, refund, failure) => host().traceStep(frame, opcode, cost, refund, failure),
      traceEnter: () => host().traceEnter(),
      traceExit: () => host().traceExit(),
      traceLog: (log) => host().traceLog(log),
    }
  }
}
