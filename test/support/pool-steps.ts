import fc from 'fast-check'
import { GWEI, type PoolTransactionSpec } from './pool-world.ts'

export const POOL_SENDERS = 4
export const POOL_UNIT = 21_000n * GWEI

export type PoolStep =
  | { readonly kind: 'add'; readonly spec: PoolTransactionSpec; readonly untilBlock: number | null; readonly diskFails: boolean }
  | { readonly kind: 'replace'; readonly pick: number; readonly bumpPercent: number }
  | {
      readonly kind: 'block'
      readonly take: readonly boolean[]
      readonly foreign: number | null
      readonly dataFee: number
      readonly baseFeeGwei: number
    }
  | { readonly kind: 'reorg'; readonly depth: number }
  | { readonly kind: 'account'; readonly sender: number; readonly units: number; readonly delegated: boolean }
  | { readonly kind: 'fail'; readonly pick: number }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'restart' }

const index = fc.nat({ max: POOL_SENDERS - 1 })
export const POOL_STEPS: fc.Arbitrary<PoolStep> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      spec: fc.record({
        sender: index,
        nonce: fc.nat({ max: 6 }),
        feeGwei: fc.integer({ min: 1, max: 40 }),
        tipGwei: fc.nat({ max: 5 }),
        to: index,
        valueWei: fc.nat({ max: 10 }).map((units) => BigInt(units) * POOL_UNIT),
        authorities: fc.oneof(
          { weight: 8, arbitrary: fc.constant([]) },
          { weight: 1, arbitrary: fc.uniqueArray(index, { minLength: 1, maxLength: 2 }) },
        ),
      }),
      untilBlock: fc.option(fc.integer({ min: 1, max: 8 }), { freq: 8 }),
      diskFails: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('replace' as const), pick: fc.nat(), bumpPercent: fc.integer({ min: 5, max: 30 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('block' as const),
      take: fc.array(fc.boolean(), { maxLength: 5 }),
      foreign: fc.option(index, { freq: 3 }),
      dataFee: fc.nat({ max: 5 }),
      baseFeeGwei: fc.integer({ min: 1, max: 8 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('account' as const), sender: index, units: fc.nat({ max: 120 }), delegated: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.nat({ max: 12_000 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
)
