import assert from 'node:assert/strict'
import { toAddress } from '@keelson/primitives'
import type { StakingPositions, StakingTerms } from '@keelson/validator'
import { type StatusInput, validatorFacts, validatorLines } from './describe-validator.ts'
import { runCommand } from './register.ts'
import { shownAmount } from './shown-amount.ts'

const KEY = toAddress(`0x${'11'.repeat(20)}`)
const TOKEN = 10n ** 18n
const TERMS = {
  epochBlocks: 30,
  graceBlocks: 16,
  seats: 4,
  minimumStakeWei: 1_000n * TOKEN,
  retentionStakeWei: 950n * TOKEN,
  rewardPerBlockWei: 2n * TOKEN,
} as StakingTerms

function inputOf(position: object, over: Partial<StatusInput> = {}): StatusInput {
  const record = {
    id: 1,
    owner: KEY,
    payout: KEY,
    stakeWei: 0n,
    rewardsWei: 0n,
    unbondingWei: 0n,
    availableAt: 0,
    slashed: false,
    ejected: false,
    openOffences: 0,
  }
  const whole = { key: KEY, duty: { lastEpoch: 0 }, weightWei: 0n, nextWeightWei: 0n, silentEpochs: 0, ...position }
  return {
    position: { ...whole, record: { ...record, ...(position as { record?: object }).record } } as unknown as StatusInput['position'],
    positions: { accounts: { poolWei: TOKEN }, shortfallWei: 0n } as unknown as StakingPositions,
    ranking: [],
    events: { attested: [], slashed: [], weights: [] },
    uptimes: [],
    terms: TERMS,
    head: { number: 95, timestampSec: 1_000 },
    blockTimeSec: 2,
    symbol: 'KEEL',
    ...over,
  }
}

const linesOf = (input: StatusInput) => validatorLines(validatorFacts(input), input).join('\n')

describe('what keelson validator status says of a key', () => {
  it('has a next duty while one is scheduled, and none for a key that will not be active', () => {
    const stake = 1_500n * TOKEN
    const slotOf = (position: object) => validatorFacts(inputOf(position)).nextDuty?.slot ?? null
    assert.equal(slotOf({ weightWei: stake, nextWeightWei: stake }), 90)
    assert.equal(slotOf({ weightWei: stake, nextWeightWei: stake, duty: { lastEpoch: 3 } }), 120)
    assert.equal(slotOf({ weightWei: 0n, nextWeightWei: stake }), 120)
    // After an exit, the current epoch's duty remains.
    assert.equal(slotOf({ weightWei: stake, nextWeightWei: 0n }), 90)
    assert.equal(slotOf({ weightWei: stake, nextWeightWei: 0n, duty: { lastEpoch: 3 } }), null)
    assert.match(linesOf(inputOf({ weightWei: stake, duty: { lastEpoch: 3 } })), /next duty +none/)
  })

  it('ranks a key that is not active yet among those of the next epoch', () => {
    const ranking = [{ key: KEY, id: 1, stakeWei: TOKEN }]
    assert.match(linesOf(inputOf({ nextWeightWei: TOKEN }, { ranking })), /rank +1 of 1 that are active from the next epoch on, 4 seats/)
    assert.match(linesOf(inputOf({ weightWei: TOKEN, nextWeightWei: TOKEN }, { ranking })), /rank +1 of 1 active, 4 seats/)
  })

  it('says that a slash took the stake below the minimum, and below what the seat is lost', () => {
    const of = (stakeWei: bigint, nextWeightWei = stakeWei) =>
      linesOf(inputOf({ weightWei: stakeWei, nextWeightWei, record: { stakeWei } }))
    assert.match(of(999n * TOKEN), /stake +999 KEEL, below the minimum of 1000 KEEL; the seat is lost below 950 KEEL/)
    assert.match(of(1_000n * TOKEN), /stake +1000 KEEL\n/)
    assert.match(of(900n * TOKEN, 0n), /stake +900 KEEL\n/)
  })

  it('says how many days of rewards the pool has left', () => {
    const positions = { accounts: { poolWei: 10_000_000n * TOKEN }, shortfallWei: 0n } as unknown as StakingPositions
    assert.match(linesOf(inputOf({}, { positions })), /reward pool +has 10000000 KEEL, which lasts 115 days/)
    assert.match(
      linesOf(inputOf({}, { positions: { ...positions, shortfallWei: TOKEN } })),
      /too little for an epoch: npx keelson validator fund-pool/,
    )
  })

  it('says since when stake is free, and from when it will be', () => {
    const unbonding = (availableAt: number) => linesOf(inputOf({ record: { unbondingWei: TOKEN, availableAt } }))
    assert.match(unbonding(81), /1 KEEL, free since block 81\n/)
    assert.match(unbonding(105), /1 KEEL, free from block 105 on, in about 20 s\n/)
  })

  it('shows that a key was ejected for its silence, and how to rejoin', () => {
    assert.match(
      linesOf(inputOf({ record: { stakeWei: 5_000n * TOKEN, ejected: true } })),
      /ejected +for long silence: npx keelson validator rejoin/,
    )
    const slashed = linesOf(inputOf({ record: { ejected: true, slashed: true } }))
    assert.doesNotMatch(slashed, /rejoin/)
    assert.match(slashed, /out for good/)
  })

  it('shows amounts with six digits after the point', () => {
    assert.equal(shownAmount(1_234_567_890_123_456_789n, 'KEEL'), '1.234567 KEEL')
    assert.equal(shownAmount(1_500n * TOKEN, 'KEEL'), '1500 KEEL')
    assert.equal(shownAmount(1n, 'KEEL'), 'less than 0.000001 KEEL')
    assert.equal(shownAmount(0n, 'KEEL'), '0 KEEL')
  })

  it('tells who registered with which command it is run', () => {
    const local = { dataDir: 'v2', passwordFile: 'password', signerEndpoint: null }
    const rest = '--l2.rpc URL --rollup.rpc URL'
    assert.equal(runCommand(KEY, local as never), `npx keelson validator run --data-dir v2 --password-file password ${rest}`)
    const service = { dataDir: null, passwordFile: null, signerEndpoint: 'http://signer:9000' }
    assert.equal(
      runCommand(KEY, service as never),
      `npx keelson validator run --data-dir FOLDER --signer.endpoint http://signer:9000 --signer.keys ${KEY} ${rest}`,
    )
  })
})
