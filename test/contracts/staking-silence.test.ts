import assert from 'node:assert/strict'
import { CONTRACT_CHAINS, type ContractChain, type Outcome } from '../support/contract-chain.ts'
import { eventNames, NUMBER_HASHES, type StakingParameters, slashes, validatorKey } from '../support/staking-contract.ts'
import { beginDuty, DOWNTIME, DUTY_KEYS, type DutyWorld, LATE_ATTESTATIONS, OWNER, STAKE, STRANGER } from '../support/staking-duty.ts'

const [A, B, C] = DUTY_KEYS

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`the contract Staking and silence on ${name}`, () => {
    let chain: ContractChain
    let world: DutyWorld
    let first: number
    before(async () => {
      chain = await open([NUMBER_HASHES])
    })
    after(() => chain.stop())
    async function begin(...given: [changes?: Partial<StakingParameters>, stakes?: readonly bigint[]]): Promise<void> {
      world = await beginDuty(chain, ...given)
      first = world.first
    }
    const settle = (key: typeof A) => world.send(STRANGER, 'settle', [key.address])
    const attestTo: DutyWorld['attestTo'] = (...given) => world.attestTo(...given)
    const stakeOf = (key: typeof A) => world.stakeOf(key)
    async function attestWith(later: number, epoch: number, key: typeof A): Promise<Outcome> {
      const signed = await world.sign(key, epoch)
      await world.approachEpoch(epoch, later)
      const outcome = await world.attest(signed)
      assert.equal(outcome.reverted, null)
      return outcome
    }

    describe('a long downtime', () => {
      it('costs 1 part in 1000 for each day of three epochs until the next attestation', async () => {
        await begin({ maxDowntimeDays: 4n })
        for (let epoch = first; epoch < first + 12; epoch++) {
          await world.approachEpoch(epoch)
          await attestTo(epoch, B, C)
          // From epoch first + 3 on, three silent epochs are complete.
          const expected = epoch < first + 3 ? 0 : epoch < first + 6 ? 1 : epoch < first + 9 ? 2 : 3
          if (epoch % 2 === 0) await settle(A)
          const left = [STAKE, 999_000n, 998_001n, 997_003n][expected] as bigint
          if (epoch % 2 === 0) assert.equal(await stakeOf(A), left, `after ${epoch - first} epochs`)
        }
        await attestTo(first + 11, A)
        assert.equal(await stakeOf(A), 997_003n)
        for (let epoch = first + 12; epoch < first + 15; epoch++) {
          await world.approachEpoch(epoch)
          await attestTo(epoch, B, C)
        }
        assert.deepEqual(slashes(world, await settle(A)), [], 'two epochs have passed since')
        await world.approachEpoch(first + 15)
        assert.deepEqual(slashes(world, await settle(A)), [[DOWNTIME, 997n]])
        assert.deepEqual(slashes(world, await settle(B)), [])
      })

      it('costs the same when it is settled at once, and also reduces unbonding stake', async () => {
        await begin()
        assert.equal((await world.send(OWNER, 'unstake', [A.address, 900_000n])).reverted, null)
        for (let epoch = first; epoch < first + 9; epoch++) {
          if (epoch > first) await world.approachEpoch(epoch)
          await attestTo(epoch, B, C)
        }
        await world.approachEpoch(first + 9)
        assert.deepEqual(slashes(world, await settle(A)), [[DOWNTIME, 2_997n]])
        assert.equal(await stakeOf(A), 97_003n)
      })

      it('costs nothing in epochs with less than two thirds of the weight or while the validator is inactive', async () => {
        await begin({ seats: 2n }, [STAKE, 2n * STAKE, 4n * STAKE])
        // C has exactly two thirds of the active weight; A waits.
        for (let epoch = first; epoch < first + 4; epoch++) {
          await world.approachEpoch(epoch)
          await attestTo(epoch, C)
        }
        assert.equal(await world.read('silentEpochs', [A.address]), 0n)
        assert.equal(await world.read('silentEpochs', [B.address]), 3n)
        assert.equal((await world.send(OWNER, 'exit', [C.address])).reverted, null)
        assert.equal((await world.send(OWNER, 'stake', [A.address], 3n * STAKE)).reverted, null)
        for (let epoch = first + 4; epoch < first + 6; epoch++) {
          await world.approachEpoch(epoch)
          await attestTo(epoch, A)
          if (epoch === first + 4) await world.send(OWNER, 'stake', [B.address], 2_001n)
        }
        await world.approachEpoch(first + 6)
        assert.equal(await world.read('liveEpochsBefore', [BigInt(first + 4)]), 4n)
        assert.equal(await world.read('liveEpochsBefore', [BigInt(first + 6)]), 5n)
        assert.equal(await world.read('silentEpochs', [B.address]), 5n)
      })

      it('costs an honest majority nothing while a minority attests to unfinalized blocks and finality is stalled', async () => {
        await begin({}, [STAKE, 3n * STAKE])
        await world.send(STRANGER, 'fund', [], 1_000n)
        for (let epoch = first; epoch < first + 10; epoch++) {
          if (epoch > first) await world.approachEpoch(epoch)
          await attestTo(epoch, A)
        }
        await world.approachEpoch(first + 10)
        assert.deepEqual(slashes(world, await settle(B)), [])
        assert.equal(await world.read('liveEpochsBefore', [BigInt(first + 10)]), 0n)
      })

      it('continues to count for a validator that leaves the active set and returns', async () => {
        await begin()
        for (let epoch = first; epoch < first + 5; epoch++) {
          await world.approachEpoch(epoch)
          if (epoch === first + 1) {
            await world.send(OWNER, 'exit', [A.address])
            await world.send(OWNER, 'stake', [A.address], STAKE)
            await world.send(OWNER, 'exit', [A.address])
          }
          await attestTo(epoch, B, C)
          if (epoch === first + 4) await world.send(OWNER, 'stake', [A.address], STAKE)
        }
        assert.equal(await world.read('silentEpochs', [A.address]), 2n)
        await world.approachEpoch(first + 5)
        await attestTo(first + 5, B, C)
        assert.deepEqual(slashes(world, await settle(A)), [])
        await world.approachEpoch(first + 6)
        assert.deepEqual(slashes(world, await settle(A)), [[DOWNTIME, 3_000n]], 'for 1 million staked and 2 million unbonding')
      })
    })

    describe('a seat', () => {
      const D = validatorKey(4)
      async function beSilentFor(epochs: number): Promise<number> {
        const until = Math.max(world.epoch(), first) + epochs
        for (let epoch = until - epochs; epoch < until; epoch++) {
          if (epoch > world.epoch()) await world.approachEpoch(epoch)
          await attestTo(epoch, B, C)
        }
        await world.approachEpoch(until)
        return until
      }
      const weightOf: DutyWorld['weightOf'] = (...given) => world.weightOf(...given)
      const rejoin = (from: number = OWNER) => world.send(from, 'rejoin', [A.address])

      it('goes to the first waiting validator after the maximum downtime', async () => {
        await begin()
        assert.equal((await world.register(OWNER, D, STAKE - 200_000n)).reverted, null)
        let epoch = await beSilentFor(8)
        await settle(A)
        assert.equal(await weightOf(D, epoch + 1), 0n)
        epoch = await beSilentFor(1)
        assert.deepEqual(
          world.events(await settle(A)).filter(({ eventName }) => eventName === 'Ejected'),
          [{ eventName: 'Ejected', validator: A.address, epoch: BigInt(epoch + 1) }],
        )
        assert.deepEqual(await Promise.all([A, D].map((key) => weightOf(key, epoch + 1))), [0n, STAKE - 200_000n])
        assert.equal(await stakeOf(A), 997_003n)
        assert.equal((await world.send(OWNER, 'stake', [A.address], 10n * STAKE)).reverted, null)
        assert.equal(await weightOf(A, epoch + 1), 0n)
        assert.equal((await world.send(OWNER, 'exit', [A.address])).reverted, null)
      })

      it('is restored on request of the owner, with the silence reset to zero', async () => {
        await begin()
        assert.equal((await rejoin()).reverted, `NotEjected(${A.address})`)
        let epoch = await beSilentFor(9)
        await settle(A)
        await world.approachEpoch(epoch + 3)
        assert.equal((await rejoin(STRANGER)).reverted, `NotTheOwner(${A.address},${chain.accounts[OWNER]?.address})`)
        assert.deepEqual(
          world.events(await rejoin()).map(({ eventName }) => eventName),
          ['Rejoined', 'WeightChanged'],
        )
        epoch = world.epoch() + 1
        assert.equal(await weightOf(A, epoch), 997_003n)
        await world.approachEpoch(epoch)
        await beSilentFor(2)
        assert.deepEqual(slashes(world, await settle(A)), [])
        assert.equal(await world.read('silentEpochs', [A.address]), 2n)
        await beSilentFor(1)
        assert.deepEqual(slashes(world, await settle(A)), [[DOWNTIME, 997n]], 'the penalty per day is unchanged')
      })

      it('is lost whether another account or a late attestation of its own settles the silence', async () => {
        await begin()
        const epoch = await beSilentFor(9)
        const outcome = await world.attest(await world.sign(A, epoch))
        assert.deepEqual(
          eventNames(world, outcome).filter((event) => event !== 'EpochClosed' && event !== 'PoolShort'),
          ['Ejected', 'WeightChanged', 'Slashed', 'Attested'],
        )
        assert.equal(await weightOf(A, epoch + 1), 0n)
        assert.equal((await rejoin()).reverted, null)
        assert.equal(await weightOf(A, epoch + 1), 997_003n)
        await beSilentFor(1)
        assert.equal(await world.read('silentEpochs', [A.address]), 0n)
      })
    })

    describe('a late attestation', () => {
      beforeEach(() => begin())

      it('costs 1 part in 10000 for each hour of two epochs without a timely attestation', async () => {
        const found: unknown[] = []
        for (let epoch = first; epoch < first + 5; epoch++) found.push(slashes(world, await attestWith(5, epoch, A)))
        assert.deepEqual(found, [[], [], [[LATE_ATTESTATIONS, 100n]], [], [[LATE_ATTESTATIONS, 99n]]])
      })

      it('is one after the last block of the grace period; a missing attestation does not count as late', async () => {
        const laters = [5, 4, 5, 5, 4, 9, 9, null, 9, 9, 5]
        for (const [index, later] of laters.entries()) {
          if (later === null) continue
          const charged = slashes(world, await attestWith(later, first + index, A))
          assert.deepEqual(charged, index === 10 ? [[LATE_ATTESTATIONS, 100n]] : [], `epoch ${index}`)
        }
      })
    })
  })
}
