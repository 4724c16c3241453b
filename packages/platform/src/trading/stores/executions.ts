import type { Address } from '@keelson/primitives'
import { and, asc, desc, eq, gt, inArray, isNotNull, ne, notInArray, type SQL, sql, TransactionRollbackError } from 'drizzle-orm'
import { Decimal } from '../../market/decimal.ts'
import { type Database, violatedConstraint } from '../../storage/database.ts'
import { executions } from '../../storage/schema/trading.ts'
import { type ExecutionRecord, isFinished } from '../execution/record.ts'
import type { CapUse } from '../policy/daily-cap.ts'
import { isStorable } from './storable-text.ts'

/** After taking a lock, a statement must see other transactions' commits. */
const EACH_STATEMENT_FRESH = { isolationLevel: 'read committed' } as const
const FIRST_SIGNING = sql`coalesce(${executions.signedOrder}, nextval('executions_signed_order'))`
/** A text pattern, because JSON operators refuse NUL characters. */
const FEE = '"feeWei" *: *"([0-9]+)"'

export interface SpendGuard {
  readonly maxUsd: Decimal
  readonly sinceMs: number
}

/** `wallet-busy`: another execution of this wallet and chain is signed, or was since `after`. Only `saved` writes. */
export type SaveOutcome = 'saved' | 'stale' | 'wallet-busy' | 'over-cap'

export type ExecutionStore = ReturnType<typeof createExecutionStore>

/**
 * Calls are atomic across processes, and durable when they resolve. After an error the outcome is unknown, and the call may be
 * repeated.
 */
export function createExecutionStore(db: Database) {
  return {
    /** Stores the record, unless its key's holder is unfinished or was created after `keyHeldSinceMs`; returns the stored one. */
    open: (record: ExecutionRecord, keyHeldSinceMs: number): Promise<ExecutionRecord> =>
      db.transaction(async (transaction) => {
        await lock(transaction, `execution key ${record.userId} ${record.idempotencyKey}`)
        const holder = await findHolder(transaction, record)
        if (holder !== null && isHeld(holder, keyHeldSinceMs)) return holder
        if (holder !== null) await transaction.update(executions).set({ keyHeld: false }).where(eq(executions.id, holder.id))
        await transaction.insert(executions).values({ ...fixedColumns(record), ...changingColumns(record), keyHeld: true })
        return record
      }, EACH_STATEMENT_FRESH),
    async holder(userId: number, idempotencyKey: string, keyHeldSinceMs: number): Promise<ExecutionRecord | null> {
      const holder = await findHolder(db, { userId, idempotencyKey })
      return holder !== null && isHeld(holder, keyHeldSinceMs) ? holder : null
    },
    get: async (id: string): Promise<ExecutionRecord | null> => (isStorable(id) ? findOne(db, eq(executions.id, id)) : null),
    /** Replaces version `record.version - 1`. `after` is the id of `lastSigned` when the nonces were chosen. */
    async save(record: ExecutionRecord, guard?: SpendGuard, after?: string | null): Promise<SaveOutcome> {
      try {
        return await db.transaction(async (transaction) => {
          await lock(transaction, `execution wallet ${record.wallet}`)
          if (after !== undefined && ((await findLastSigned(transaction, record.wallet, record.chainId))?.id ?? null) !== after)
            return 'wallet-busy'
          const written = await transaction
            .update(executions)
            .set({ ...changingColumns(record), ...(record.state === 'signed' ? { signedOrder: FIRST_SIGNING } : {}) })
            .where(and(eq(executions.id, record.id), eq(executions.version, record.version - 1)))
            .returning({ id: executions.id })
          if (written.length === 0) return 'stale'
          if (guard !== undefined) {
            const others = await spentUsd(transaction, record.wallet, guard.sinceMs, record.id)
            if (others.plus(record.reservedUsd ?? 0).gt(guard.maxUsd)) transaction.rollback()
          }
          return 'saved'
        }, EACH_STATEMENT_FRESH)
      } catch (error) {
        if (error instanceof TransactionRollbackError) return 'over-cap'
        if (violatedConstraint(error) === 'executions_signed_unique') return 'wallet-busy'
        throw error
      }
    },
    /** Oldest first. */
    async unfinished(limit: number): Promise<readonly ExecutionRecord[]> {
      const rows = await db
        .select({ record: executions.record })
        .from(executions)
        .where(inArray(executions.state, ['accepted', 'signed']))
        .orderBy(asc(executions.createdAt), asc(executions.seq))
        .limit(limit)
      return rows.map(({ record }) => record)
    },
    lastSigned: (wallet: Address, chainId: number) => findLastSigned(db, wallet, chainId),
    /** Excludes refused and failed executions. */
    spentUsd: (wallet: Address, sinceMs: number, exceptId: string) => spentUsd(db, wallet, sinceMs, exceptId),
    /** `roomUsd` is what the cap leaves to other trades. */
    capUse: (wallet: Address, sinceMs: number, exceptId: string, roomUsd: Decimal) => capUse(db, { wallet, sinceMs, exceptId, roomUsd }),
    /** Includes fees of failed trades. */
    async gasSpentWei(wallet: Address, chainId: number, sinceMs: number): Promise<bigint> {
      const [row] = await db
        .select({ wei: sql<string>`coalesce(sum((substring(${executions.record}::text from ${FEE}))::numeric), 0)::text` })
        .from(executions)
        .where(
          and(
            eq(executions.wallet, wallet),
            eq(executions.chainId, chainId),
            isNotNull(executions.reservedUsd),
            gt(executions.createdAt, new Date(sinceMs)),
          ),
        )
      return BigInt(row?.wei ?? 0)
    },
  }
}

/** A transaction takes one lock only, so there is no deadlock. */
async function lock(transaction: Database, name: string): Promise<void> {
  await transaction.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`)
}

function isHeld(holder: ExecutionRecord, keyHeldSinceMs: number): boolean {
  return holder.createdAtMs > keyHeldSinceMs || !isFinished(holder)
}

function findHolder(
  db: Database,
  { userId, idempotencyKey }: Pick<ExecutionRecord, 'userId' | 'idempotencyKey'>,
): Promise<ExecutionRecord | null> {
  return findOne(db, and(eq(executions.userId, userId), eq(executions.idempotencyKey, idempotencyKey), eq(executions.keyHeld, true)))
}

function findLastSigned(db: Database, wallet: Address, chainId: number): Promise<ExecutionRecord | null> {
  const ofWallet = and(eq(executions.wallet, wallet), eq(executions.chainId, chainId), isNotNull(executions.signedOrder))
  return findOne(db, ofWallet, desc(executions.signedOrder))
}

async function findOne(db: Database, where: SQL | undefined, order: SQL = asc(executions.seq)): Promise<ExecutionRecord | null> {
  const [row] = await db.select({ record: executions.record }).from(executions).where(where).orderBy(order).limit(1)
  return row?.record ?? null
}

async function spentUsd(db: Database, wallet: Address, sinceMs: number, exceptId: string): Promise<Decimal> {
  const [row] = await db
    .select({ usd: sql<string>`coalesce(sum(${executions.reservedUsd}), 0)::text` })
    .from(executions)
    .where(counted(wallet, sinceMs, exceptId))
  return new Decimal(row?.usd ?? 0)
}

function counted(wallet: Address, sinceMs: number, exceptId: string): SQL | undefined {
  return and(
    eq(executions.wallet, wallet),
    isNotNull(executions.reservedUsd),
    gt(executions.createdAt, new Date(sinceMs)),
    notInArray(executions.state, ['refused', 'failed']),
    ne(executions.id, exceptId),
  )
}

interface CapQuestion {
  readonly wallet: Address
  readonly sinceMs: number
  readonly exceptId: string
  readonly roomUsd: Decimal
}

async function capUse(db: Database, { wallet, sinceMs, exceptId, roomUsd }: CapQuestion): Promise<CapUse> {
  const { createdAt, reservedUsd, seq, state } = executions
  const rows = db
    .select({
      usd: sql`${reservedUsd}`.as('usd'),
      state: sql`${state}`.as('state'),
      createdAt: sql`${createdAt}`.as('at'),
      // What is still counted once this one and all before it have left the window.
      newerUsd: sql`sum(${reservedUsd}) over (order by ${createdAt} desc, ${seq} desc) - ${reservedUsd}`.as('newer_usd'),
    })
    .from(executions)
    .where(counted(wallet, sinceMs, exceptId))
    .as('counted')
  const [row] = await db
    .select({
      spent: sql<string>`coalesce(sum(${rows.usd}), 0)::text`,
      unfinished: sql<string>`coalesce(sum(${rows.usd}) filter (where ${rows.state} in ('accepted', 'signed')), 0)::text`,
      freeAfterMs: sql<
        string | null
      >`extract(epoch from min(${rows.createdAt}) filter (where ${rows.newerUsd} <= ${roomUsd.toFixed()}::numeric)) * 1000`,
    })
    .from(rows)
  const freeAfterMs = row?.freeAfterMs ?? null
  return {
    spentUsd: new Decimal(row?.spent ?? 0),
    unfinishedUsd: new Decimal(row?.unfinished ?? 0),
    freeAfterMs: freeAfterMs === null ? null : Math.ceil(Number(freeAfterMs)),
  }
}

function fixedColumns({ id, userId, idempotencyKey, wallet, chainId, createdAtMs }: ExecutionRecord) {
  return { id, userId, idempotencyKey, wallet, chainId, createdAt: new Date(createdAtMs) }
}

function changingColumns(record: ExecutionRecord) {
  const { state, version, reservedUsd } = record
  return { state, version, reservedUsd, record }
}
