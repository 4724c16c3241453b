/** Compilers of the versions that contracts were made with. One comes with the program; others are fetched when they are needed. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Clock, Logger } from '@keelson/primitives'
import { singleFlight, withDeadline } from '@keelson/runtime'
import { VerifyRefusal } from '../verify-refusal.ts'
import { packFromRegistry } from './npm-pack.ts'
import { readPackedFile } from './npm-tarball.ts'
import { PUBLISHED_COMPILERS, type PublishedCompiler } from './published-compilers.ts'

/** The version of the package `solc` that this program depends on. */
export const BUNDLED_COMPILER = '0.8.37+commit.f401782d'

export interface Compilers {
  /** Newest first, as the compilers write them into metadata. */
  readonly versions: readonly string[]
  /** The version that a caller names as v0.8.20, 0.8.20 or 0.8.20+commit.a1b79de6; null for one that is not among `versions`. */
  find(given: string): string | null
  /** Path of the compiler's module. Fetches it if it is not there. Throws VerifyRefusal `no-compiler`, or the signal's reason. */
  open(version: string, signal: AbortSignal): Promise<string>
}

export interface CompilersOptions {
  /** Where fetched compilers stay. */
  readonly folder: string
  readonly published?: readonly PublishedCompiler[]
}

/** Native compilers add their platform. */
const GIVEN = /^v?(\d{1,3}\.\d{1,3}\.\d{1,3})(\+commit\.[0-9a-f]{8})?(?:\.[\w.+]{1,40})?$/
const MODULE = 'package/soljson.js'
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024
const FETCH_LIMIT_MS = 60_000
/** Until then a version that could not be fetched is refused at once. */
const RETRY_MS = 60_000

export function createCompilers(options: CompilersOptions, deps: { readonly clock: Clock; readonly log: Logger }): Compilers {
  return new FetchedCompilers(options, deps)
}

class FetchedCompilers implements Compilers {
  readonly versions: readonly string[]
  readonly #folder: string
  readonly #published: ReadonlyMap<string, PublishedCompiler>
  readonly #clock: Clock
  readonly #log: Logger
  readonly #fetchOnce = singleFlight((_version: string, published: PublishedCompiler, path: string) => {
    const work = this.#last.then(() => this.#fetch(published, path))
    this.#last = work.catch(() => undefined)
    return work
  })
  readonly #failures = new Map<string, { readonly why: string; readonly atMs: number }>()
  /** One at a time. */
  #last: Promise<unknown> = Promise.resolve()

  constructor({ folder, published = PUBLISHED_COMPILERS }: CompilersOptions, { clock, log }: { clock: Clock; log: Logger }) {
    this.#folder = folder
    this.#clock = clock
    this.#log = log
    this.#published = new Map(published.map((one) => [one.version, one]))
    this.versions = [BUNDLED_COMPILER, ...this.#published.keys()]
  }

  find(given: string): string | null {
    const [, release, commit] = GIVEN.exec(given) ?? []
    return this.versions.find((one) => (commit === undefined ? one.split('+')[0] === release : one === release + commit)) ?? null
  }

  async open(version: string, signal: AbortSignal): Promise<string> {
    if (version === BUNDLED_COMPILER) return createRequire(import.meta.url).resolve('solc/soljson.js')
    const published = this.#published.get(version)
    if (published === undefined) throw new Error(`no compiler ${version}`)
    const path = join(this.#folder, `soljson-${version}.js`)
    if (!existsSync(path)) await this.#share(published, path, signal)
    return path
  }

  /** Several requests wait for one fetch, which goes on when one of them leaves. */
  async #share(published: PublishedCompiler, path: string, signal: AbortSignal): Promise<void> {
    const { version } = published
    const failure = this.#failures.get(version)
    if (failure !== undefined && this.#clock.monotonicMs() - failure.atMs < RETRY_MS) throw this.#missing(published, failure.why)
    await Promise.race([this.#fetchOnce(version, published, path), aborted(signal)])
  }

  async #fetch(published: PublishedCompiler, path: string): Promise<void> {
    const { version, release, sha512 } = published
    const incoming = join(this.#folder, 'incoming')
    try {
      const given = join(this.#folder, `solc-${release}.tgz`)
      await rm(incoming, { recursive: true, force: true })
      await mkdir(incoming, { recursive: true, mode: 0o700 })
      const fetch = (limit: AbortSignal) => packFromRegistry('solc', release, incoming, limit)
      const tarball = existsSync(given) ? given : await withDeadline(fetch, { clock: this.#clock, ms: FETCH_LIMIT_MS })
      const packed = await readFile(tarball)
      if (createHash('sha512').update(packed).digest('base64') !== sha512)
        throw new Error(`${tarball} is not the package that was published as solc ${release}`)
      const module = readPackedFile(packed, MODULE, MAX_UNPACKED_BYTES)
      if (module === null) throw new Error(`${tarball} has no ${MODULE}`)
      await writeFile(join(incoming, 'soljson.js'), module)
      await rename(join(incoming, 'soljson.js'), path)
      this.#failures.delete(version)
      this.#log.info('fetched a compiler', { version, bytes: module.length })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#failures.set(version, { why, atMs: this.#clock.monotonicMs() })
      this.#log.warn('a compiler cannot be fetched', { version, error })
      throw this.#missing(published, why)
    } finally {
      await rm(incoming, { recursive: true, force: true })
    }
  }

  #missing({ version, release }: PublishedCompiler, why: string): VerifyRefusal {
    this.#log.debug('a compiler is missing', { version, why, folder: this.#folder })
    const expected = `the same request later; the operator can put the result of "npm pack solc@${release}" into the folder "compilers" of the index`
    return new VerifyRefusal('no-compiler', `the compiler ${version} is not here and cannot be fetched now`, expected, RETRY_MS / 1000)
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
