import { constantOf, type Word } from './limb.ts'
import type { ValueWriter } from './value-writer.ts'

export const ITEM_BYTES = 32

interface Item {
  /** Null while the value is only in memory. */
  word: Word | null
  /** Position whose memory held this value at `version`; -1 for none. */
  readonly home: number
  readonly version: number
}

/**
 * Position 0, at `baseLocal`, is the deepest item that the block uses. Items are read on first use and written back at block ends
 * or for the core. An item away from its home is always loaded, since its home may be overwritten.
 */
export class SymbolicStack {
  private items: Item[] = []
  /** By position; grows when the memory changes. */
  private versions: number[] = []

  constructor(
    private readonly values: ValueWriter,
    private readonly baseLocal: number,
  ) {}

  get height(): number {
    return this.items.length
  }

  start(needed: number): void {
    this.versions = []
    this.items = Array.from({ length: needed }, (_, position) => this.inMemory(position))
  }

  push(word: Word): void {
    this.items.push({ word, home: -1, version: 0 })
  }

  pop(): Word {
    const word = this.load(this.at(1))
    this.items.pop()
    return word
  }

  drop(count = 1): void {
    this.items.length -= count
  }

  duplicate(depth: number): void {
    const item = this.at(depth)
    this.load(item)
    this.items.push(item)
  }

  swap(depth: number): void {
    const top = this.at(1)
    const other = this.at(depth + 1)
    this.load(top)
    this.load(other)
    const height = this.items.length
    this.items[height - 1] = other
    this.items[height - 1 - depth] = top
  }

  get dirty(): number {
    return this.items.reduce((count, item, position) => count + (this.isHome(item, position) ? 0 : 1), 0)
  }

  /** Leaves the known state unchanged. */
  emitStores(): void {
    this.items.forEach((item, position) => {
      if (!this.isHome(item, position) && item.word !== null) this.store(position, item.word)
    })
  }

  /** Stores the top `count` items where they differ from memory. */
  writeBack(count = this.items.length): void {
    for (let position = this.items.length - count; position < this.items.length; position++) {
      const item = this.items[position] as Item
      if (this.isHome(item, position) || item.word === null) continue
      this.store(position, item.word)
      this.items[position] = { ...this.overwritten(position), word: item.word }
    }
  }

  replaceInMemory(removed: number, added: number): void {
    this.items.length -= removed
    for (let i = 0; i < added; i++) this.items.push(this.overwritten(this.items.length))
  }

  /** Frees all locals. */
  spill(): void {
    this.writeBack()
    for (const item of this.items) if (item.word !== null && constantOf(item.word) === null) item.word = null
  }

  *words(): Iterable<Word> {
    for (const { word } of this.items) if (word !== null) yield word
  }

  private at(depth: number): Item {
    const item = this.items[this.items.length - depth]
    if (item === undefined) throw new RangeError(`the block uses item ${depth} of a stack of ${this.items.length}; its analysis found less`)
    return item
  }

  private load(item: Item): Word {
    item.word ??= this.values.loadWord(() => this.values.body.get(this.baseLocal), item.home * ITEM_BYTES)
    return item.word
  }

  private store(position: number, word: Word): void {
    this.values.storeWord(() => this.values.body.get(this.baseLocal), position * ITEM_BYTES, word)
  }

  private overwritten(position: number): Item {
    this.versions[position] = (this.versions[position] ?? 0) + 1
    return this.inMemory(position)
  }

  private inMemory(position: number): Item {
    return { word: null, home: position, version: this.versions[position] ?? 0 }
  }

  private isHome(item: Item, position: number): boolean {
    return item.home === position && item.version === (this.versions[position] ?? 0)
  }
}
