import assert from 'node:assert/strict'
import { bytesToHex, toHash } from '@keelson/primitives'
import fc from 'fast-check'
import { type Address, concatHex, getAddress, type Hex, pad, parseSignature } from 'viem'
import { blockSigningDigest, encodeSignedPart } from '../../packages/primitives/src/op/block-message.ts'
import { CONTRACT_CHAINS, type ContractChain, type Outcome } from '../support/contract-chain.ts'
import { makePayload } from '../support/payloads.ts'
import {
  deployStaking,
  NUMBER_HASHES,
  type SignedAttestation,
  STAKING_PARAMETERS,
  type StakingWorld,
  validatorKey,
} from '../support/staking-contract.ts'
import { type ModelValidator, StakingModel } from '../support/staking-model.ts'

const [OWNER, STRANGER] = [1, 3] as const
const EPOCHS = 20
const KEYS = Array.from({ length: 6 }, (_, index) => validatorKey(index + 1))
const BLOCK_KEYS = KEYS.map((_, index) => validatorKey(index + 1, 'block key'))
const CHAIN_ID = 901n
const PAYOUTS = ['0xa1', '0xb2', '0xc3'].map((end) => getAddress(pad(end as Hex, { size: 20, dir: 'right' })))
const NOBODY = `0x${'00'.repeat(20)}`
const HONEST = [0, 1]
const HONEST_STAKE = 100n * STAKING_PARAMETERS.minimumStake
/** Short, so that silence leads to ejection within a walk. */
const DOWNTIME_DAYS = [1n, 1n, 3n] as const
const TARDY = 2
const LIE = `0x${'66'.repeat(32)}` as const
const MINIMUM = STAKING_PARAMETERS.minimumStake
const EPOCH_REWARD = STAKING_PARAMETERS.rewardPerBlock * STAKING_PARAMETERS.epochBlocks

const step = fc.record({
  kind: fc.constantFrom(
    ...['attest', 'attest', 'attest', 'attest', 'attest', 'attest', 'stake', 'stake', 'unstake', 'exit', 'withdraw', 'claimRewards'],
    ...['settle', 'settle', 'fund', 'lie', 'lie', 'lie', 'bringUp', 'bringUp', 'double', 'accuse', 'accuseTwice'],
    ...['signBlock', 'signBlock', 'setPayout'],
  ),
  who: fc.constantFrom(2, 2, 3, 3, 4, 5, 1),
  waitBlocks: fc.constantFrom(0, 0, 1, 3),
  back: fc.constantFrom(0, 0, 1, 1, 3, 4, 5),
  amount: fc.constantFrom(0n, 1n, 77n, MINIMUM, 2n * MINIMUM, 100n * MINIMUM),
  rarely: fc.nat(5),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const EXPECTED = [
  ...['PoolShort', 'RoundingReturned', 'offence 0', 'offence 1', 'offence 2', 'offence 3', 'offence 4'],
  ...['attest', 'stake', 'unstake', 'exit', 'withdraw', 'claimRewards', 'settle', 'fund'],
  ...['reportInvalidAttestation', 'settleInvalidAttestation', 'reportDoubleAttestation'],
  ...['attest: AlreadyAttested', 'attest: NotActive', 'attest: SlashedForGood', 'attest: WrongEpoch'],
  ...['reportInvalidAttestation: AlreadyReported', 'reportInvalidAttestation: CheckpointIsRight'],
  ...['reportInvalidAttestation: EvidenceTooOld', 'reportInvalidAttestation: NotActive', 'settleInvalidAttestation: AlreadyClosed'],
  ...['reportDoubleAttestation: DifferentEpochs', 'reportDoubleAttestation: SlashedForGood'],
  ...['reportSignedBlock', 'reportSignedBlock: AlreadyNoted', 'reportSignedBlock: SlashedForGood'],
  ...['setPayout', 'setPayout: NotTheOwner', 'setPayout: PayoutIsZero', 'paid elsewhere'],
  ...['stake: SlashedForGood', 'withdraw: TooEarly', 'unstake: BelowMinimum'],
  ...['rejoin', 'rejoin: NotEjected', 'rejoin: SlashedForGood', 'Ejected', 'RewardsForfeited'],
]

async function signBlock(index: number, place: number, variant: number): Promise<readonly [Hex, Hex]> {
  const envelope = makePayload({
    number: 7 + place,
    parentHash: toHash(`0x${'0a'.repeat(32)}`),
    timestampSec: 1_800_000_014,
    l1Origin: { number: 3, hash: toHash(`0x${'0b'.repeat(32)}`) },
    sequenceNumber: 1,
    transactions: variant === 0 ? [] : [Uint8Array.of(2, variant)],
  })
  const signedPart = encodeSignedPart(envelope)
  const key = BLOCK_KEYS[index] as (typeof BLOCK_KEYS)[0]
  const { r, s, yParity } = parseSignature(await key.sign({ hash: bytesToHex(blockSigningDigest(CHAIN_ID, signedPart)) }))
  return [bytesToHex(signedPart), concatHex([r, s, yParity === 0 ? '0x00' : '0x01'])]
}

interface Sent {
  readonly from: number
  readonly block: number
  readonly name: string
  readonly args: readonly unknown[]
  readonly valueWei: bigint
}

async function walk(world: StakingWorld, epochs: readonly (readonly Step[])[], seen: Set<string>) {
  const { chain, parameters } = world
  const sent: Sent[] = []
  const outcomes: Outcome[] = []
  const words: SignedAttestation[] = []
  await world.approachEpoch(world.epoch() + 1)
  const model = new StakingModel(parameters, KEYS.length, chain.height())
  const addressOf = (index: number) => KEYS[index]?.address as string
  const before = await Promise.all(PAYOUTS.map((address) => chain.reader.getBalance({ address })))

  async function attempt(
    name: string,
    args: readonly unknown[],
    expected: () => string | null,
    valueWei = 0n,
    from: number = OWNER,
  ): Promise<void> {
    const block = chain.height() + 1
    model.advance(block)
    const outcome = await world.send(from, name, args, valueWei)
    sent.push({ from, block, name, args, valueWei })
    outcomes.push(outcome)
    const refused = expected()
    const error = outcome.reverted?.replace(/\(.*/, '') ?? null
    assert.equal(error, refused, `${name} in block ${block}`)
    seen.add(refused === null ? name : `${name}: ${refused}`)
    check(outcome)
    const accounts = (await world.read('accounts')) as readonly bigint[]
    assert.deepEqual(accounts, model.accounts(), `after ${name} in block ${block}`)
    const balance = await chain.reader.getBalance({ address: world.address })
    assert.equal(
      accounts.reduce((sum, part) => sum + part),
      balance,
      `after ${name}`,
    )
  }

  function check(outcome: Outcome): void {
    let missing = 0n
    const events = world.events(outcome)
    for (const { eventName, ...values } of events) {
      if (eventName === 'Slashed') {
        seen.add(`offence ${values.offence}`)
        assert.ok(!HONEST.some((index) => addressOf(index) === values.validator), 'an honest validator was slashed')
      }
      if (['PoolShort', 'RoundingReturned', 'Ejected', 'RewardsForfeited'].includes(eventName as string)) seen.add(eventName as string)
      if (eventName === 'PoolShort') missing = values.missing as bigint
    }
    const closed = events.find(({ eventName }) => eventName === 'EpochClosed')
    if (closed !== undefined) assert.equal((closed.reward as bigint) + missing, EPOCH_REWARD)
  }

  const signed = ({ attestation, signature }: SignedAttestation) => [attestation, signature]
  const reported = () => [...model.invalid.keys()].map((name) => name.split(' ').map(Number) as [number, number])
  const operations: Readonly<Record<string, (current: Step) => Promise<void>>> = {
    async attest({ who, rarely }) {
      const epoch = world.epoch() + (rarely === 0 ? 1 : 0)
      const args = signed(await world.sign(KEYS[who] as (typeof KEYS)[0], epoch))
      if (who !== 1) await attempt('attest', args, () => model.attest(who, epoch))
    },
    stake: ({ who, amount }) => attempt('stake', [addressOf(who)], () => model.stake(who, amount), amount),
    unstake: ({ who, amount }) => attempt('unstake', [addressOf(who), amount], () => model.unstake(who, amount)),
    exit: ({ who }) => attempt('exit', [addressOf(who)], () => model.exit(who)),
    withdraw: ({ who }) => attempt('withdraw', [addressOf(who)], () => model.withdraw(who)),
    claimRewards: ({ who }) => attempt('claimRewards', [addressOf(who)], () => model.claimRewards(who)),
    async settle({ who, rarely }) {
      await attempt('settle', [addressOf(who)], () => model.settle(who))
      if (rarely < 3) await attempt('rejoin', [addressOf(who)], () => model.rejoin(who))
    },
    fund: ({ amount }) => attempt('fund', [], () => model.fund(amount / 100n), amount / 100n),
    async lie({ who, back, rarely }) {
      if (who === 1) return
      const given: readonly [number, number] = [Math.max(0, world.epoch() - back) + (rarely === 0 ? 1 : 0), who]
      const [epoch, index] = (rarely === 5 ? reported().at(-1) : undefined) ?? given
      const wrong = await world.sign(KEYS[index] as (typeof KEYS)[0], epoch, {
        checkpointHash: LIE,
        checkpointNumber: BigInt(chain.height()),
      })
      await attempt('reportInvalidAttestation', signed(wrong), () => model.reportInvalidAttestation(index, epoch, true))
    },
    bringUp({ who, back }) {
      const known = reported()
      const [epoch, index] = known[known.length - 1 - back] ?? [world.epoch(), who]
      return attempt('settleInvalidAttestation', [BigInt(epoch), addressOf(index)], () => model.settleInvalidAttestation(index, epoch))
    },
    async double({ who, back, rarely }) {
      if (who === 1 || rarely > 1) return
      const key = KEYS[who] as (typeof KEYS)[0]
      const epoch = Math.max(0, world.epoch() - back)
      const pair = [...signed(await world.sign(key, epoch)), ...signed(await world.sign(key, epoch, { l1OriginNumber: 6n }))]
      await attempt('reportDoubleAttestation', pair, () => model.reportDoubleAttestation(who))
    },
    async signBlock({ who, back, rarely }) {
      const index = rarely === 1 ? 1 : who
      const variant = index !== 1 && rarely === 0 ? 1 : 0
      const place = Math.min(back, 1)
      const [signedPart, signature] = await signBlock(index, place, variant)
      await attempt('reportSignedBlock', [signedPart, signature], () => model.reportSignedBlock(index, `${place}`, `${variant}`))
    },
    async setPayout({ who, back, rarely }) {
      const payout = back === 0 ? null : (PAYOUTS[back % PAYOUTS.length] as Address)
      const from = rarely === 0 ? STRANGER : OWNER
      await attempt('setPayout', [addressOf(who), payout ?? NOBODY], () => model.setPayout(who, payout, from === OWNER), 0n, from)
    },
    async accuse({ back }) {
      const word = words[words.length - 1 - back]
      if (word === undefined) return
      const index = KEYS.length
      const epoch = Number(word.attestation.epoch)
      await attempt('reportInvalidAttestation', signed(word), () => model.reportInvalidAttestation(index, epoch, false))
    },
    async accuseTwice({ back }) {
      const [one, two] = [words[words.length - 1], words[words.length - 1 - back]]
      if (one === undefined || two === undefined) return
      const refusal = one.attestation.epoch === two.attestation.epoch ? 'SameAttestation' : 'DifferentEpochs'
      await attempt('reportDoubleAttestation', [...signed(one), ...signed(two)], () => refusal)
    },
  }

  async function dutyOfTheHonest(): Promise<void> {
    const epoch = world.epoch()
    model.advance(chain.height() + 1)
    for (const index of HONEST.filter((candidate) => model.weight(candidate, epoch) > 0n)) {
      const word = await world.sign(KEYS[index] as (typeof KEYS)[0], epoch)
      words.push(word)
      await attempt('attest', signed(word), () => model.attest(index, epoch))
    }
  }

  async function lateDuty(epoch: number): Promise<void> {
    const late = epoch * 10 + 5
    if (chain.height() + 1 < late) await world.approach(late)
    if (world.epoch() > epoch) return
    await attempt('attest', signed(await world.sign(KEYS[TARDY] as (typeof KEYS)[0], epoch)), () => model.attest(TARDY, epoch))
  }

  for (const [index, key] of KEYS.entries()) {
    const stake = HONEST.includes(index) ? HONEST_STAKE : MINIMUM * BigInt(6 - index)
    const { args, valueWei } = await world.registration(OWNER, key, stake, BLOCK_KEYS[index])
    await attempt('register', args, () => model.stake(index, valueWei), valueWei)
  }
  await attempt('fund', [], () => model.fund(777n), 777n)
  for (const steps of epochs) {
    const epoch = world.epoch() + 1
    await world.approachEpoch(epoch)
    await dutyOfTheHonest()
    for (const current of steps) {
      if (chain.height() + 1 + current.waitBlocks >= (epoch + 1) * 10) break
      await chain.mine(current.waitBlocks)
      await operations[current.kind]?.(current)
    }
    if (steps[0]?.rarely !== 0) await lateDuty(epoch)
    await compare()
  }
  return { sent, outcomes }

  async function compare(): Promise<void> {
    const epoch = world.epoch()
    model.advance(chain.height() + 1)
    for (const [index, payout] of PAYOUTS.entries()) {
      const paid = (await chain.reader.getBalance({ address: payout })) - (before[index] as bigint)
      assert.equal(paid, model.paid.get(payout) ?? 0n, `paid to ${payout}`)
      if (paid > 0n) seen.add('paid elsewhere')
    }
    for (const [index, key] of KEYS.entries()) {
      const expected = model.validators[index] as ModelValidator
      const { stake, unbonding, rewards, slashed, ejected, payout } = await world.read('getValidator', [key.address])
      assert.deepEqual([stake, unbonding, rewards, slashed], [expected.stake, expected.unbonding, expected.rewards, expected.slashed])
      assert.equal(ejected, expected.ejected)
      assert.equal(payout, expected.payout ?? chain.accounts[OWNER]?.address)
      assert.equal(await world.read('weightAt', [key.address, BigInt(epoch)]), model.weight(index, epoch))
    }
  }
}

describe('the contract Staking in random walks', () => {
  let chains: ContractChain[]
  before(async () => {
    chains = await Promise.all(CONTRACT_CHAINS.map(({ open }) => open([NUMBER_HASHES])))
  })
  after(() => Promise.all(chains.map((chain) => chain.stop())))

  const seen = new Set<string>()

  it('matches the model to the wei, slashes no honest validator, and gives the same receipts on both chains', async () => {
    const epochs = fc.array(fc.array(step, { minLength: 5, maxLength: 7 }), { minLength: EPOCHS, maxLength: EPOCHS })
    await fc.assert(
      fc.asyncProperty(epochs, fc.constantFrom(...DOWNTIME_DAYS), async (steps, maxDowntimeDays) => {
        const [own, other] = chains as [ContractChain, ContractChain]
        const { sent, outcomes } = await walk(await deployStaking(own, { maxDowntimeDays }), steps, seen)
        const again = await deployStaking(other, { maxDowntimeDays })
        for (const [index, { from, block, name, args, valueWei }] of sent.entries()) {
          await again.approach(block)
          assert.deepEqual(await again.send(from, name, args, valueWei), outcomes[index], `${name} in block ${block}`)
        }
        await again.approach(own.height() + 1)
      }),
      { numRuns: 8, seed: 20_261_121, endOnFailure: true },
    )
    assert.deepEqual(
      EXPECTED.filter((name) => !seen.has(name)),
      [],
      'events that no walk reached',
    )
  })
})
