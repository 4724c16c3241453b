/** A crash loses at most unsynced writes. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@keelson/primitives'
import { Level } from 'level'
import { nextTurn } from '../event-loop.ts'
import { describeHolder, findLockHolder } from '../process/who-holds.ts'
import { RuntimeError } from '../runtime-error.ts'
import { findLevelDamage } from './level-files/level-damage.ts'
import type { KeyValueOp, KeyValueRangeOptions, KeyValueSnapshot, SnapshotKeyValueStore } from './store.ts'

export interface LevelStore extends SnapshotKeyValueStore {
  writeFailure(): RuntimeError | null
  /** Approximate size without the log. */
  approximateBytes(from: Uint8Array, to: Uint8Array): Promise<number>
  compact(from: Uint8Array, to: Uint8Array): Promise<void>
}

export interface LevelStoreOptions {
  readonly directory: string
  readonly cacheBytes?: number
  readonly writeBufferBytes?: number
  readonly maxOpenFiles?: number
  readonly onWriteFailure?: (error: RuntimeError) => void
  /** Option for worker threads; the first to open must close last. */
  readonly multithreading?: boolean
  /** For a small store whose records cannot be made again: it is not opened when any of them is lost or altered. */
  readonly irreplaceable?: { readonly remedy: string }
}

/** The types of `Level` only cover browsers. */
interface LevelDatabase extends Level<Uint8Array, Uint8Array> {
  approximateSize(from: Uint8Array, to: Uint8Array, options: typeof VIEW): Promise<number>
  compactRange(from: Uint8Array, to: Uint8Array, options: typeof VIEW): Promise<void>
}

const MIB = 1024 * 1024
const DERIVED_AGAIN = 'keep a copy if you need it, then remove it; the chain is derived again from L1'
interface Place {
  readonly directory: string
  /** What to do when the database is damaged. */
  readonly remedy: string
}

const VIEW = { keyEncoding: 'view', valueEncoding: 'view' } as const

/** After a failed write all writes fail until reopening: LevelDB would append behind a partial record and lose later writes. */
export async function openLevelStore(options: LevelStoreOptions): Promise<LevelStore> {
  const { directory, irreplaceable } = options
  const remedy = irreplaceable?.remedy ?? DERIVED_AGAIN
  if (irreplaceable !== undefined) await assertUndamaged(directory, remedy)
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
    throw await openError(directory, error, remedy)
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
  const place = { directory, remedy }
  const write = createBatchWriter(db, assertWritable, fail)
  return {
    getSync: (key) => readSync(db, place, key),
    async batch(ops, batchOptions = {}) {
      assertWritable()
      await write(ops, batchOptions.sync === true)
    },
    async getMany(keys) {
      const values = await db.getMany([...keys]).catch((error: unknown) => {
        throw readError(place, error)
      })
      return values.map((value) => value ?? null)
    },
    range: (from, to, rangeOptions) => rangeOf(db, place, from, to, rangeOptions),
    snapshot: () => openSnapshot(db, place),
    writeFailure: () => failure,
    approximateBytes: (from, to) => db.approximateSize(from, to, VIEW),
    compact: (from, to) => db.compactRange(from, to, VIEW),
    close: () => db.close(),
  }
}

const OPS_IN_A_PIECE = 1_000

/** LevelDB may apply concurrent batches in any order. */
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
      throw fail(error)
    } finally {
      underWay--
      leave()
    }
  }
}

type NativeBatch = ReturnType<LevelDatabase['batch']>

/** Passing an array takes nine times as long. */
function put(batch: NativeBatch, ops: readonly KeyValueOp[]): void {
  for (const op of ops) 'put' in op ? batch.put(op.put, op.value) : batch.del(op.del)
}

type Snapshot = ReturnType<LevelDatabase['snapshot']>

function openSnapshot(db: LevelDatabase, place: Place): KeyValueSnapshot {
  const snapshot = db.snapshot()
  const options = { snapshot }
  return {
    getSync: (key) => readSync(db, place, key, options),
    range: (from, to, rangeOptions) => rangeOf(db, place, from, to, rangeOptions, snapshot),
    close: () => snapshot.close(),
  }
}

function readSync(db: LevelDatabase, place: Place, key: Uint8Array, options: { readonly snapshot?: Snapshot } = {}): Uint8Array | null {
  try {
    return db.getSync(key, options) ?? null
  } catch (error) {
    throw readError(place, error)
  }
}

async function* rangeOf(
  db: LevelDatabase,
  place: Place,
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
        throw readError(place, error)
      })
      if (entry === undefined) return
      yield entry
    }
  } finally {
    await iterator.close()
  }
}

async function openError(directory: string, error: unknown, remedy: string): Promise<RuntimeError> {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = (cause as { code?: unknown }).code
  const text = messageOf(cause)
  const options = { cause: error }
  if (code === 'LEVEL_LOCKED') {
    const holder = describeHolder(await findLockHolder(join(directory, 'LOCK')))
    return new RuntimeError(
      'runtime/store-locked',
      `the database ${directory} is locked by ${holder}: stop that program, or use another data directory`,
      { directory, holder },
      options,
    )
  }
  if (code === 'LEVEL_CORRUPTION') return damaged({ directory, remedy }, text, error)
  return new RuntimeError(
    'runtime/store-open',
    `the database ${directory} cannot be opened (${text}): check the path, its owner and the free space of the disk`,
    { directory },
    options,
  )
}

function readError(place: Place, error: unknown): unknown {
  const text = messageOf(error)
  return /corruption|IO error/i.test(text) ? damaged(place, text, error) : error
}

/** A running program writes the files, so that they prove nothing; opening tells who it is. */
async function assertUndamaged(directory: string, remedy: string): Promise<void> {
  const damage = await findLevelDamage(directory)
  if (damage === null || (await findLockHolder(join(directory, 'LOCK'))) !== null) return
  throw damaged({ directory, remedy }, damage, new Error(damage))
}

function damaged({ directory, remedy }: Place, text: string, cause: unknown): RuntimeError {
  return new RuntimeError('runtime/store-corrupt', `the database ${directory} is damaged (${text}): ${remedy}`, { directory }, { cause })
}

function writeError(directory: string, error: unknown): RuntimeError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const text = messageOf(cause)
  const full = /no space left|ENOSPC|disk quota/i.test(text)
  const what = full ? `the disk of ${directory} is full` : `writing to the database ${directory} failed (${text})`
  const remedy = full ? 'make room, then start again' : 'check the free space and the health of the disk, then start again'
  return new RuntimeError('runtime/store-write', `${what}; writes are disabled, reads continue: ${remedy}`, { directory }, { cause: error })
}
