import { bytesToHex, type Hex, hexToBytes, keccak256 } from '@keelson/primitives'
import { bytesKey } from '../../journal/byte-key.ts'
import {
  CODE_BYTES,
  CODE_COMPILED,
  CODE_ENTERED,
  CODE_HASH,
  CODE_LENGTH,
  CONTEXT,
  HOT_CODES,
  HOT_CODES_BAILS,
  HOT_CODES_COUNT,
  HOT_CODES_HASH,
  PARAM_HOT_ENTRIES,
} from '../layout.ts'
import { type CodeCompiler, jobKey } from './code-compiler.ts'
import type { CompiledFunctions, InstalledFunction } from './compiled-functions.ts'
import type { TierObserver } from './tier-observer.ts'

export interface TierOptions {
  readonly compiler: CodeCompiler
  /** Frames before a code is compiled; 0 compiles on loading. */
  readonly hotEntries: number
  readonly mayCompile: (codeHash: Hex) => boolean
  readonly maxFunctions: number
  readonly observer?: TierObserver
}

interface Schedule {
  readonly key: string
  readonly opcodeTable: Uint8Array
}

export interface CodeMemory {
  u32(at: number): number
  setU32(at: number, value: number): void
  copy(at: number, length: number): Uint8Array
  /** Big-endian bytes of four limbs. */
  word(at: number): Uint8Array
  setWord(at: number, bytes: Uint8Array): void
  /** `bytesKey` of the word. */
  wordKey(at: number): string
}

/** Returns 0 when the core lacks the code. */
export type FindCode = (hash: number) => number

/** Beyond this, requests may repeat. */
const MAX_REQUESTED = 4096
const KEY_CHARACTERS = 16

/** Requests compilation of hot codes and installs the results. */
export class HotCode {
  readonly #memory: CodeMemory
  readonly #findCode: FindCode
  readonly #functions: CompiledFunctions
  readonly #compiler: CodeCompiler
  readonly #options: TierOptions
  /** Frames counted when room was last needed. */
  readonly #entriesBefore = new WeakMap<InstalledFunction, number>()
  readonly #requested = new Set<string>()
  /** Functions of the current schedule, by `bytesKey` of the code hash. */
  readonly #current = new Map<string, InstalledFunction>()
  #schedule: Schedule | null = null

  constructor(memory: CodeMemory, findCode: FindCode, functions: CompiledFunctions, options: TierOptions) {
    this.#memory = memory
    this.#findCode = findCode
    this.#functions = functions
    this.#compiler = options.compiler
    this.#options = options
    memory.setU32(CONTEXT + PARAM_HOT_ENTRIES, Math.max(1, options.hotEntries))
  }

  /** Call before each block. */
  useSchedule(opcodeTable: Uint8Array): void {
    const key = bytesToHex(keccak256(opcodeTable)).slice(2, 2 + KEY_CHARACTERS)
    if (this.#schedule?.key !== key) this.#switchTo({ key, opcodeTable })
  }

  /** Call before an outermost call. */
  begin(): void {
    if (this.#options.hotEntries === 0) this.#keepRoom()
    for (const code of this.#compiler.takeFinished()) {
      if (this.#functions.find(jobKey(code)) !== undefined) continue
      let installed = this.#functions.install(code)
      while (installed === null && this.#removeColdest()) installed = this.#functions.install(code)
      if (installed === null) continue
      this.#enter(installed)
      this.#options.observer?.functions(this.#functions.size)
    }
  }

  /** Frames may run, so nothing is removed: without room the code is interpreted. */
  loaded(record: number): void {
    if (this.#schedule === null) return
    const known = this.#current.get(this.#memory.wordKey(record + CODE_HASH))
    if (known !== undefined) this.#memory.setU32(record + CODE_COMPILED, known.index)
    else if (this.#options.hotEntries === 0) {
      this.#request(record)
      for (const code of this.#compiler.takeFinished()) {
        const installed = this.#functions.find(jobKey(code)) ?? this.#functions.install(code)
        if (installed !== null) this.#enter(installed)
      }
    }
  }

  /** Call after an outermost call. */
  end(): void {
    const count = this.#memory.u32(HOT_CODES + HOT_CODES_COUNT)
    for (let i = 1; i <= count; i++) {
      const record = this.#memory.u32(HOT_CODES + 4 * i)
      if (this.#memory.u32(record + CODE_COMPILED) === 0) this.#request(record)
    }
    if (count > 0) this.#memory.setU32(HOT_CODES + HOT_CODES_COUNT, 0)
    const bails = this.#memory.u32(HOT_CODES + HOT_CODES_BAILS)
    if (bails === 0) return
    this.#memory.setU32(HOT_CODES + HOT_CODES_BAILS, 0)
    this.#options.observer?.bailedOut(bails)
  }

  #request(record: number): void {
    const schedule = this.#schedule
    const codeHash = bytesToHex(this.#memory.word(record + CODE_HASH))
    if (schedule === null || !this.#options.mayCompile(codeHash)) return
    const key = jobKey({ codeHash, forkKey: schedule.key })
    if (this.#options.hotEntries > 0 && this.#requested.has(key)) return
    if (this.#requested.size >= MAX_REQUESTED) this.#requested.clear()
    const length = this.#memory.u32(record + CODE_LENGTH)
    if (length === 0) return
    const code = this.#memory.copy(this.#memory.u32(record + CODE_BYTES), length)
    const accepted = this.#compiler.request({ codeHash, forkKey: schedule.key, code, opcodeTable: schedule.opcodeTable })
    this.#options.observer?.requested(accepted)
    if (accepted) this.#requested.add(key)
    else this.#memory.setU32(record + CODE_ENTERED, 0)
  }

  #switchTo(schedule: Schedule): void {
    for (const { code } of this.#functions.all()) {
      const record = this.#recordOf(code.codeHash)
      if (record !== 0) this.#makeCold(record)
    }
    this.#schedule = schedule
    this.#current.clear()
    for (const installed of this.#functions.all()) this.#enter(installed)
  }

  #enter(installed: InstalledFunction): void {
    const { codeHash, forkKey } = installed.code
    if (forkKey !== this.#schedule?.key) return
    this.#current.set(bytesKey(hexToBytes(codeHash)), installed)
    const record = this.#recordOf(codeHash)
    if (record !== 0) this.#memory.setU32(record + CODE_COMPILED, installed.index)
  }

  /** No function can be removed while frames run. */
  #keepRoom(): void {
    if (this.#functions.size < this.#options.maxFunctions / 2) return
    for (const installed of [...this.#functions.all()]) this.#remove(installed)
  }

  /** False when there is none. */
  #removeColdest(): boolean {
    let coldest: InstalledFunction | null = null
    let fewest = Number.POSITIVE_INFINITY
    for (const installed of this.#functions.all()) {
      const record = this.#recordOf(installed.code.codeHash)
      const entries = record === 0 ? 0 : this.#memory.u32(record + CODE_ENTERED)
      const recent = entries - (this.#entriesBefore.get(installed) ?? 0)
      this.#entriesBefore.set(installed, entries)
      if (recent >= fewest) continue
      fewest = recent
      coldest = installed
    }
    if (coldest === null) return false
    this.#remove(coldest)
    return true
  }

  #remove(installed: InstalledFunction): void {
    this.#leave(installed)
    this.#functions.remove(installed)
    this.#options.observer?.evicted(1)
    this.#options.observer?.functions(this.#functions.size)
  }

  #leave({ code }: InstalledFunction): void {
    this.#requested.delete(jobKey(code))
    if (code.forkKey !== this.#schedule?.key) return
    this.#current.delete(bytesKey(hexToBytes(code.codeHash)))
    const record = this.#recordOf(code.codeHash)
    if (record !== 0) this.#makeCold(record)
  }

  #makeCold(record: number): void {
    this.#memory.setU32(record + CODE_COMPILED, 0)
    this.#memory.setU32(record + CODE_ENTERED, 0)
  }

  #recordOf(codeHash: Hex): number {
    this.#memory.setWord(HOT_CODES + HOT_CODES_HASH, hexToBytes(codeHash))
    return this.#findCode(HOT_CODES + HOT_CODES_HASH)
  }
}
