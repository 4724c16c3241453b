/** Deletes modules that fail the content check when they are read. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface StoredModule {
  readonly bytes: Uint8Array
  readonly jumpTableBytes: number
}

const SUFFIX = '.kwm'
const CHECKSUM_BYTES = 32
const HEADER_BYTES = CHECKSUM_BYTES + 4
const MAX_TOTAL_BYTES = 128 * 2 ** 20

export class ModuleStore {
  readonly #folder: string
  readonly #maxBytes: number
  readonly #warn: (message: string) => void
  /** Least recently used first. */
  readonly #sizes = new Map<string, number>()
  #totalBytes = 0

  /** Deletes folders of other versions in `directory`. */
  constructor(directory: string, version: string, warn: (message: string) => void, maxBytes = MAX_TOTAL_BYTES) {
    this.#folder = join(directory, version)
    this.#warn = warn
    this.#maxBytes = maxBytes
    mkdirSync(this.#folder, { recursive: true })
    for (const other of readdirSync(directory)) if (other !== version) rmSync(join(directory, other), { recursive: true, force: true })
    const files = readdirSync(this.#folder)
      .filter((file) => file.endsWith(SUFFIX))
      .map((file) => ({ file, ...statOf(join(this.#folder, file)) }))
    for (const { file, size } of files.sort((a, b) => a.usedMs - b.usedMs)) this.#count(file, size)
    this.#shrink()
  }

  get use(): { readonly modules: number; readonly bytes: number } {
    return { modules: this.#sizes.size, bytes: this.#totalBytes }
  }

  read(name: string): StoredModule | null {
    const file = name + SUFFIX
    if (!this.#sizes.has(file)) return null
    const path = join(this.#folder, file)
    try {
      const content = readFileSync(path)
      const checksum = createHash('sha256').update(content.subarray(CHECKSUM_BYTES)).digest()
      if (content.length < HEADER_BYTES || !checksum.equals(content.subarray(0, CHECKSUM_BYTES))) throw new Error('its checksum is wrong')
      const now = new Date()
      utimesSync(path, now, now)
      this.#count(file, content.length)
      return { jumpTableBytes: content.readUInt32LE(CHECKSUM_BYTES), bytes: content.subarray(HEADER_BYTES) }
    } catch (error) {
      this.remove(name)
      this.#warn(`stored module ${file} is not usable and will be compiled again: ${(error as Error).message}`)
      return null
    }
  }

  write(name: string, { bytes, jumpTableBytes }: StoredModule): void {
    const file = name + SUFFIX
    const content = Buffer.alloc(HEADER_BYTES + bytes.length)
    content.writeUInt32LE(jumpTableBytes, CHECKSUM_BYTES)
    content.set(bytes, HEADER_BYTES)
    createHash('sha256').update(content.subarray(CHECKSUM_BYTES)).digest().copy(content)
    try {
      const path = join(this.#folder, file)
      writeFileSync(`${path}.new`, content)
      renameSync(`${path}.new`, path)
      this.#count(file, content.length)
      this.#shrink()
    } catch (error) {
      this.#warn(`module ${file} was not stored: ${(error as Error).message}`)
    }
  }

  remove(name: string): void {
    const file = name + SUFFIX
    this.#totalBytes -= this.#sizes.get(file) ?? 0
    this.#sizes.delete(file)
    rmSync(join(this.#folder, file), { force: true })
  }

  #count(file: string, size: number): void {
    this.#totalBytes += size - (this.#sizes.get(file) ?? 0)
    this.#sizes.delete(file)
    this.#sizes.set(file, size)
  }

  #shrink(): void {
    for (const file of this.#sizes.keys()) {
      if (this.#totalBytes <= this.#maxBytes) return
      this.remove(file.slice(0, -SUFFIX.length))
    }
  }
}

function statOf(path: string): { size: number; usedMs: number } {
  const { size, mtimeMs } = statSync(path)
  return { size, usedMs: mtimeMs }
}
