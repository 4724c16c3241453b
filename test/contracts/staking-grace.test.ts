import assert from 'node:assert/strict'
import { CONTRACT_CHAINS, type ContractChain } from '../support/contract-chain.ts'
import { NUMBER_HASHES, slashes } from '../support/staking-contract.ts'
import { beginDuty, DOWNTIME, DUTY_KEYS, type DutyWorld, LIE, OWNER, STRANGER } from '../support/staking-duty.ts'

const [A, B] = DUTY_KEYS
const MINIMUM = 40_000n

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`the retention bound of the contract Staking on ${name}`, () => {
    let chain: ContractChain
    before(async () => {
      chain = await open([NUMBER_HASHES])
    })
    after(() => chain.stop())
    const begin = (stakes: readonly bigint[], changes = {}) => beginDuty(chain, { minimumStake: MINIMUM, ...changes }, stakes)
    const asOwner = async (world: DutyWorld, name: string, args: readonly unknown[] = [], valueWei = 0n) =>
      (await world.send(OWNER, name, [A.address, ...args], valueWei)).reverted
    async function lie(world: DutyWorld): Promise<void> {
      const wrong = await world.sign(A, world.first, { checkpointHash: LIE })
      const outcome = await world.send(STRANGER, 'reportInvalidAttestation', [wrong.attestation, wrong.signature])
      assert.equal(outcome.reverted, null)
    }
    async function beSilentFor(world: DutyWorld, epochs: number): Promise<void> {
      for (let epoch = world.first; epoch < world.first + epochs; epoch++) {
        if (epoch > world.epoch()) await world.approachEpoch(epoch)
        await world.attestTo(epoch, B)
      }
      await world.approachEpoch(world.first + epochs)
    }

    it('keeps a validator with exactly the minimum active after its first slash', async () => {
      const world = await begin([MINIMUM, 3n * MINIMUM])
      await beSilentFor(world, 3)
      assert.deepEqual(slashes(world, await world.send(STRANGER, 'settle', [A.address])), [[DOWNTIME, 40n]])
      assert.equal(await world.weightOf(A, world.first + 4), 39_960n)
    })

    it('removes a validator below 95% of the minimum, but not at 95%', async () => {
      // 40,000 * (90,000 + 9 * 40,000) / (100 * 90,000) = 2,000: 5% of the minimum.
      const at = await begin([MINIMUM, 50_000n])
      assert.equal(await at.read('retentionStake'), 38_000n)
      await lie(at)
      assert.equal(await at.stakeOf(A), 38_000n)
      assert.equal(await at.weightOf(A, at.first + 1), 38_000n)
      // 40,000 * (89,900 + 9 * 40,000) / (100 * 89,900) rounds down to 2,001.
      const below = await begin([MINIMUM, 49_900n])
      await lie(below)
      assert.equal(await below.stakeOf(A), 37_999n)
      assert.equal(await below.weightOf(A, below.first), MINIMUM, 'the running epoch is unchanged')
      assert.equal(await below.weightOf(A, below.first + 1), 0n)
      assert.deepEqual(await below.read('nextActiveSet'), [B.address])
    })

    it('is rounded up when 95% of the minimum is no integer', async () => {
      assert.equal(await (await begin([], { minimumStake: 1n })).read('retentionStake'), 1n)
      assert.equal(await (await begin([], { minimumStake: 39_999n })).read('retentionStake'), 38_000n)
    })

    it('requires the full minimum for a removed validator to enter the set again', async () => {
      const world = await begin([MINIMUM, 49_900n])
      await lie(world)
      assert.equal(await asOwner(world, 'stake', [], 2_000n), `BelowMinimum(39999,${MINIMUM})`)
      assert.equal(await asOwner(world, 'stake', [], 2_001n), null)
      assert.equal(await world.weightOf(A, world.first + 1), MINIMUM)
    })

    it('lets the owner of a validator below the minimum only exit, which removes it from the set', async () => {
      const world = await begin([MINIMUM, 50_000n])
      await lie(world)
      assert.equal(await asOwner(world, 'unstake', [1n]), `BelowMinimum(37999,${MINIMUM})`)
      assert.equal(await asOwner(world, 'exit'), null)
      assert.equal(await world.weightOf(A, world.first + 1), 0n)
      assert.equal(await asOwner(world, 'stake', [], 38_000n), `BelowMinimum(38000,${MINIMUM})`)
    })

    it('lets a validator below the minimum that is displaced by a larger one wait for its seat', async () => {
      const world = await begin([MINIMUM, 50_000n], { seats: 2n })
      await lie(world)
      assert.equal((await world.register(OWNER, DUTY_KEYS[2], 60_000n)).reverted, null)
      assert.equal(await world.weightOf(A, world.first + 1), 0n)
      assert.equal((await world.send(OWNER, 'exit', [B.address])).reverted, null)
      assert.equal(await world.weightOf(A, world.first + 1), 38_000n)
    })

    it('requires the full minimum for a validator ejected for silence to rejoin', async () => {
      const world = await begin([MINIMUM, 3n * MINIMUM])
      await beSilentFor(world, 9)
      await world.send(STRANGER, 'settle', [A.address])
      const left = await world.stakeOf(A)
      assert.equal(left, 39_882n)
      assert.equal(await asOwner(world, 'rejoin'), `BelowMinimum(${left},${MINIMUM})`)
      assert.equal(await asOwner(world, 'stake', [], MINIMUM - left), null)
      assert.equal(await world.weightOf(A, world.epoch() + 1), 0n)
      assert.equal(await asOwner(world, 'rejoin'), null)
      assert.equal(await world.weightOf(A, world.epoch() + 1), MINIMUM)
    })
  })
}
