import { CORE_MODULE, JUMP_TABLE_IMPORT, MEMORY_IMPORT, RUN_EXPORT } from '../compiler/compile.ts'
import { JUMP_TABLES, JUMP_TABLES_BYTES } from '../layout.ts'
import { type CompiledCode, jobKey } from './code-compiler.ts'
import { JumpTableSpace } from './jump-table-space.ts'

export interface FunctionTable {
  readonly length: number
  grow(count: number): number
  set(index: number, entry: unknown): void
}

declare const WebAssembly: {
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> }
}

export interface InstalledFunction {
  readonly code: CompiledCode
  /** Index in the core's function table. */
  readonly index: number
  readonly jumpTable: number
}

/** Bounded; reuses table entries and jump tables. */
export class CompiledFunctions {
  readonly #memory: object
  readonly #exports: object
  readonly #table: FunctionTable
  readonly #capacity: number
  readonly #space = new JumpTableSpace(JUMP_TABLES, JUMP_TABLES_BYTES)
  readonly #freeIndexes: number[] = []
  readonly #installed = new Map<string, InstalledFunction>()

  constructor(memory: object, exports: object & { readonly table: FunctionTable }, capacity: number) {
    this.#memory = memory
    this.#exports = exports
    this.#table = exports.table
    this.#capacity = capacity
  }

  find(key: string): InstalledFunction | undefined {
    return this.#installed.get(key)
  }

  get size(): number {
    return this.#installed.size
  }

  all(): Iterable<InstalledFunction> {
    return this.#installed.values()
  }

  /** Null without room; the caller may remove another function and retry. */
  install(code: CompiledCode): InstalledFunction | null {
    if (this.#installed.size >= this.#capacity) return null
    const jumpTable = this.#space.allocate(code.jumpTableBytes)
    if (jumpTable === null) return null
    const imports = { ...this.#exports, [MEMORY_IMPORT]: this.#memory, [JUMP_TABLE_IMPORT]: jumpTable }
    const { exports } = new WebAssembly.Instance(code.module, { [CORE_MODULE]: imports })
    const index = this.#freeIndexes.pop() ?? this.#table.grow(1)
    this.#table.set(index, exports[RUN_EXPORT])
    const installed = { code, index, jumpTable }
    this.#installed.set(jobKey(code), installed)
    return installed
  }

  /** No frame or code record may still use the index. */
  remove({ code, index, jumpTable }: InstalledFunction): void {
    this.#installed.delete(jobKey(code))
    this.#table.set(index, null)
    this.#freeIndexes.push(index)
    this.#space.free(jumpTable, code.jumpTableBytes)
  }
}
