/** The store on LevelDB, through `level`. One process at a time may hold a directory; a crash loses at most what was not synced. */
import { mkdir } from 'node:fs/promises'
import { Level } from 'level'
import { nextTurn } from '../event-loop.ts'
import { RuntimeError } from '../runtime-error.ts'
import type { KeyValueOp, KeyValueRangeOptions, KeyValueSnapshot, SnapshotKeyValueStore } from './store.ts'

export interface LevelStore extends SnapshotKeyValueStore {
  /** Why nothing is written any more; null while all is well. */
  writeFailure(): RuntimeError | null
  /** Bytes of the tables on disk that hold keys in [from, to), roughly; what is still in the log does not count. */
  approximateBytes(from: Uint8Array, to: Uint8Array): Promise<number>
  /** Rewrites the tables of [from, to), so that deleted and replaced records free their room. */
  compact(from: Uint8Array, to: Uint8Array): Promise<void>
}

export interface LevelStoreOptions {
  /** Made when missing. */
  readonly directory: string
  readonly cacheBytes?: number
  readonly writeBufferBytes?: number
  readonly maxOpenFiles?: number
  /** Told once, when the first write has failed. */
  readonly onWriteFailure?: (error: RuntimeError) => void
  /** Worker threads of this process may open the directory too; whoever opened it first closes it last. */
  readonly multithreading?: boolean
}

/** In Node.js, a `Level` is LevelDB itself; its types cover only what browsers also support. */
interface LevelDatabase extends Level<Uint8Array, Uint8Array> {
  approximateSize(from: Uint8Array, to: Uint8Array, options: typeof VIEW): Promise<number>
  compactRange(from: Uint8Array, to: Uint8Array, options: typeof VIEW): Promise<void>
}

const MIB = 1024 * 1024
const VIEW = { keyEncoding: 'view', valueEncoding: 'view' } as const

/**
 * The first write that fails is the last: LevelDB would go on in the same log behind half a record, and lose at
 * the next start what it acknowledged since. So reading goes on and writing ends until the directory is opened anew.
 * Throws RuntimeError `runtime/store-locked` when another process holds the directory,
 * `runtime/store-corrupt` when LevelDB cannot read it, `runtime/store-open` for anything else.
 */
export async function openLevelStore(options: LevelStoreOptions): Promise<LevelStore> {
  const { directory } = options
  const db = new Level<Uint8Array, Uint8Array>(directory, {
    ...VIEW,
    cacheSize: options.cacheBytes ?? 64 * MIB,
    writeBufferSize: options.writeBufferBytes ?? 16 * MIB,
    maxOpenFiles: options.maxOpenFiles ?? 1000,
    multithreading: options.multithreading === true,
  }) as LevelDatabase
  try {
    await mkdir(directory, { recursive: true })
    await db.open()
  } catch (error) {
    throw openError(directory, error)
  }
  let failure: RuntimeError | null = null
  const assertWritable = () => {
    if (failure !== null) throw failure
  }
  const fail = (error: unknown): RuntimeError => {
    if (failure === null) {
      failure = writeError(directory, error)
      options.onWriteFailure?.(failure)
    }
    return failure
  }
  const write = createBatchWriter(db, assertWritable, fail)
  return {
    getSync: (key) => readSync(db, directory, key),
    async batch(ops, batchOptions = {}) {
      assertWritable()
      await write(ops, batchOptions.sync === true)
    },
    range: (from, to, rangeOptions) => rangeOf(db, directory, from, to, rangeOptions),
    snapshot: () => openSnapshot(db, directory),
    writeFailure: () => failure,
    approximateBytes: (from, to) => db.approximateSize(from, to, VIEW),
    compact: (from, to) => db.compactRange(from, to, VIEW),
    close: () => db.close(),
  }
}

/** Operations put into a native batch between two turns of the event loop: some milliseconds. */
const OPS_IN_A_PIECE = 2_000

/**
 * One batch after the other: two that are under way at once reach LevelDB in any order. One of many operations is
 * put together in pieces, so that it does not hold the thread.
 */
function createBatchWriter(
  db: LevelDatabase,
  assertWritable: () => void,
  fail: (error: unknown) => RuntimeError,
): (ops: readonly KeyValueOp[], sync: boolean) => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  let underWay = 0
  return async (ops, sync) => {
    const before = last
    let leave = (): void => undefined
    last = new Promise((resolve) => {
      leave = resolve
    })
    if (underWay++ > 0) await before
    try {
      assertWritable()
      const batch = db.batch()
      for (let at = 0; at < ops.length; at += OPS_IN_A_PIECE) {
        if (at > 0) await nextTurn()
        put(batch, ops.length <= OPS_IN_A_PIECE ? ops : ops.slice(at, at + OPS_IN_A_PIECE))
      }
      await batch.write({ sync })
    } catch (error) {
      // before the next one's turn: what follows a lost batch must be lost too
      throw fail(error)
    } finally {
      underWay--
      leave()
    }
  }
}

type NativeBatch = ReturnType<LevelDatabase['batch']>

/** One by one: handing over an array copies every operation, which takes nine times as long. */
function put(batch: NativeBatch, ops: readonly KeyValueOp[]): void {
  for (const op of ops) 'put' in op ? batch.put(op.put, op.value) : batch.del(op.del)
}

type Snapshot = ReturnType<LevelDatabase['snapshot']>

function openSnapshot(db: LevelDatabase, directory: string): KeyValueSnapshot {
  const snapshot = db.snapshot()
  const options = { snapshot }
  return {
    getSync: (key) => readSync(db, directory, key, options),
    range: (from, to, rangeOptions) => rangeOf(db, directory, from, to, rangeOptions, snapshot),
    close: () => snapshot.close(),
  }
}

/** Null when absent. Throws RuntimeError `runtime/store-corrupt` when the file that holds the record cannot be read. */
function readSync(
  db: LevelDatabase,
  directory: string,
  key: Uint8Array,
  options: { readonly snapshot?: Snapshot } = {},
): Uint8Array | null {
  try {
    return db.getSync(key, options) ?? null
  } catch (error) {
    throw readError(directory, error)
  }
}

async function* rangeOf(
  db: LevelDatabase,
  directory: string,
  from: Uint8Array,
  to: Uint8Array,
  options: KeyValueRangeOptions = {},
  snapshot?: Snapshot,
): AsyncIterable<readonly [Uint8Array, Uint8Array]> {
  const bounds = { gte: from, lt: to, reverse: options.reverse === true, limit: options.limit ?? -1 }
  const iterator = db.iterator(snapshot === undefined ? bounds : { ...bounds, snapshot })
  try {
    for (;;) {
      const entry = await iterator.next().catch((error: unknown) => {
        throw readError(directory, error)
      })
      if (entry === undefined) return
      yield entry
    }
  } finally {
    await iterator.close()
  }
}

function openError(directory: string, error: unknown): RuntimeError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = (cause as { code?: unknown }).code
  const text = cause instanceof Error ? cause.message : String(cause)
  const options = { cause: error }
  if (code === 'LEVEL_LOCKED') {
    return new RuntimeError(
      'runtime/store-locked',
      `the database ${directory} is held by another process: stop that process, or give this one a data directory of its own`,
      { directory },
      options,
    )
  }
  if (code === 'LEVEL_CORRUPTION') return damaged(directory, text, error)
  return new RuntimeError(
    'runtime/store-open',
    `the database ${directory} cannot be opened (${text}): check the path, its owner and the free space of the disk`,
    { directory },
    options,
  )
}

/** What is wrong with a file of the database; other failures, of a closed one for instance, stay what they are. */
function readError(directory: string, error: unknown): unknown {
  const text = error instanceof Error ? error.message : String(error)
  return /corruption|IO error/i.test(text) ? damaged(directory, text, error) : error
}

function damaged(directory: string, text: string, cause: unknown): RuntimeError {
  return new RuntimeError(
    'runtime/store-corrupt',
    `the database ${directory} is damaged (${text}): keep a copy if you need it, then remove it; the chain is derived again from L1`,
    { directory },
    { cause },
  )
}

function writeError(directory: string, error: unknown): RuntimeError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const text = cause instanceof Error ? cause.message : String(cause)
  const full = /no space left|ENOSPC|disk quota/i.test(text)
  const what = full ? `the disk of ${directory} is full` : `writing to the database ${directory} failed (${text})`
  const remedy = full ? 'make room, then start again' : 'check the free space and the health of the disk, then start again'
  return new RuntimeError(
    'runtime/store-write',
    `${what}; nothing is written any more, reading goes on: ${remedy}`,
    { directory },
    { cause: error },
  )
}
