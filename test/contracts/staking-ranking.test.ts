import assert from 'node:assert/strict'
import fc from 'fast-check'
import { CONTRACT_CHAINS, type ContractChain, type Outcome } from '../support/contract-chain.ts'
import { deployStaking, NUMBER_HASHES, type StakingWorld, validatorKey } from '../support/staking-contract.ts'

const OWNER = 1
const SEATS = 9
const MINIMUM = 10_000n
const KEYS = Array.from({ length: 28 }, (_, index) => validatorKey(index + 1))

const change = fc.record({
  who: fc.nat(KEYS.length - 1),
  kind: fc.constantFrom('stake', 'stake', 'unstake', 'exit'),
  amount: fc.bigInt(0n, 4n).map((times) => MINIMUM + times * 100n),
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

async function run(world: StakingWorld, changes: readonly Change[]): Promise<readonly Outcome[]> {
  const stakes = KEYS.map(() => 0n)
  const outcomes: Outcome[] = []
  for (const key of KEYS) outcomes.push(await world.register(OWNER, key, 0n))
  for (const { who, kind, amount } of changes) {
    const address = KEYS[who]?.address
    const before = stakes[who] as bigint
    const left = kind === 'exit' ? 0n : before - amount
    const outcome = await (kind === 'stake' || before === 0n
      ? world.send(OWNER, 'stake', [address], amount)
      : kind === 'exit' || left < MINIMUM
        ? world.send(OWNER, 'exit', [address])
        : world.send(OWNER, 'unstake', [address, amount]))
    assert.equal(outcome.reverted, null)
    outcomes.push(outcome)
    stakes[who] = kind === 'stake' || before === 0n ? before + amount : left < MINIMUM ? 0n : left
    const first = [...stakes.entries()]
      .filter(([, stake]) => stake > 0n)
      .sort(([a, ofA], [b, ofB]) => (ofA === ofB ? a - b : ofA > ofB ? -1 : 1))
      .slice(0, SEATS)
    const active = (await world.read('nextActiveSet')) as string[]
    assert.deepEqual([...active].sort(), first.map(([index]) => KEYS[index]?.address as string).sort())
    const weights = first.reduce((sum, [, stake]) => sum + stake, 0n)
    assert.equal(await world.read('totalWeightAt', [BigInt(world.epoch() + 1)]), weights)
  }
  return outcomes
}

describe('the active set of the contract Staking', () => {
  let chains: ContractChain[]
  before(async () => {
    chains = await Promise.all(CONTRACT_CHAINS.map(({ open }) => open([NUMBER_HASHES])))
  })
  after(() => Promise.all(chains.map((chain) => chain.stop())))

  it('holds the largest stakes after every change, and the earlier validator of equal stakes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 200, maxLength: 200 }), async (changes) => {
        const [own, other] = chains as [ContractChain, ContractChain]
        const outcomes = await run(await deployStaking(own, { seats: BigInt(SEATS) }), changes)
        assert.deepEqual(await run(await deployStaking(other, { seats: BigInt(SEATS) }), changes), outcomes)
      }),
      { numRuns: 3, seed: 20_261_121, endOnFailure: true },
    )
  })
})
