/** Staking: what betraying the duty costs, at the boundaries of each rule. On both chains. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Hex } from 'viem'
import { CONTRACT_CHAINS, type ContractChain, type Outcome } from '../support/contract-chain.ts'
import {
  deployStaking,
  eventNames,
  highForm,
  NUMBER_HASHES,
  SERVED_BLOCKS,
  type SignedAttestation,
  type StakingParameters,
  type StakingWorld,
  slashes,
  validatorKey,
} from '../support/staking-contract.ts'

const [OWNER, STRANGER] = [1, 3] as const
const [DOUBLE_ATTESTATION, INVALID_ATTESTATION, DOWNTIME, LATE_ATTESTATIONS] = [0, 2, 3, 4] as const
const STAKE = 1_000_000n
const KEYS = [validatorKey(1), validatorKey(2), validatorKey(3)] as const
const [A, B, C] = KEYS
const LIE: Hex = `0x${'66'.repeat(32)}`

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`contract Staking slashes on ${name}`, () => {
    let chain: ContractChain
    let world: StakingWorld
    let first: number
    before(async () => {
      chain = await open([NUMBER_HASHES])
    })
    after(() => chain.stop())
    /** Three validators of the same stake, at the begin of their first epoch. */
    async function begin(changes: Partial<StakingParameters> = {}, stakes: readonly bigint[] = [STAKE, STAKE, STAKE]): Promise<void> {
      world = await deployStaking(chain, changes)
      await world.approachEpoch(world.epoch() + 1)
      for (const [index, stake] of stakes.entries()) await world.register(OWNER, KEYS[index] as typeof A, stake)
      first = world.epoch() + 1
      await world.approachEpoch(first)
    }
    const settle = (key: typeof A) => world.send(STRANGER, 'settle', [key.address])
    const stakeOf = async ({ address }: typeof A) => (await world.read('getValidator', [address])).stake as bigint
    async function attestTo(epoch: number, ...keys: readonly (typeof A)[]): Promise<void> {
      for (const key of keys) assert.equal((await world.attest(await world.sign(key, epoch))).reverted, null)
    }
    async function attestWith(later: number, epoch: number, key: typeof A): Promise<Outcome> {
      const signed = await world.sign(key, epoch)
      await world.approachEpoch(epoch, later)
      const outcome = await world.attest(signed)
      assert.equal(outcome.reverted, null)
      return outcome
    }

    describe('double signing', () => {
      beforeEach(() => begin())
      const report = (one: SignedAttestation, two: SignedAttestation) =>
        world.send(STRANGER, 'reportDoubleAttestation', [one.attestation, one.signature, two.attestation, two.signature])

      it('takes all, what is unbonding as well, once, and for good', async () => {
        assert.equal((await world.send(OWNER, 'unstake', [A.address, 400_000n])).reverted, null)
        const one = await world.sign(A, first)
        const two = await world.sign(A, first, { l1OriginNumber: 6n })
        const outcome = await report(one, two)
        assert.deepEqual(slashes(world, outcome), [[DOUBLE_ATTESTATION, STAKE]])
        assert.deepEqual(await world.read('accounts'), [2n * STAKE, 0n, 0n, 0n, STAKE])
        assert.equal((await report(one, two)).reverted, `SlashedForGood(${A.address})`)
        assert.equal((await world.attest(one)).reverted, `SlashedForGood(${A.address})`)
        assert.equal((await world.send(OWNER, 'stake', [A.address], STAKE)).reverted, `SlashedForGood(${A.address})`)
        assert.equal((await world.register(OWNER, A, STAKE)).reverted, `KeyTaken(${A.address})`)
        assert.equal(await world.read('weightAt', [A.address, BigInt(first + 1)]), 0n)
        assert.equal((await world.send(OWNER, 'withdraw', [A.address])).reverted, 'NothingToWithdraw()')
      })

      it('is two different attestations of one key for one epoch, and nothing else', async () => {
        const one = await world.sign(A, first)
        assert.equal((await report(one, highForm(one))).reverted, 'SameAttestation()')
        const next = await world.sign(A, first + 1)
        assert.equal((await report(one, next)).reverted, `DifferentEpochs(${first},${first + 1})`)
        const others = await world.sign(B, first, { l1OriginNumber: 6n })
        assert.equal((await report(one, others)).reverted, `DifferentSigners(${A.address},${B.address})`)
        const stranger = validatorKey(99)
        const [two, three] = [await world.sign(stranger, first), await world.sign(stranger, first, { l1OriginNumber: 6n })]
        assert.equal((await report(two, three)).reverted, `UnknownValidator(${stranger.address})`)
        const unsigned = { ...(await world.sign(A, first, { l1OriginNumber: 6n })), signature: '0x' } as const
        assert.equal((await report(one, unsigned)).reverted, 'BadSignature()')
      })

      it('is proven by either form of the signature', async () => {
        const outcome = await report(highForm(await world.sign(A, first)), await world.sign(A, first, { l1OriginNumber: 6n }))
        assert.deepEqual(slashes(world, outcome), [[DOUBLE_ATTESTATION, STAKE]])
      })

      it('forfeits the rewards that were not paid, also that of the epoch it happened in', async () => {
        await world.send(STRANGER, 'fund', [], 1_000n)
        await attestTo(first, A, B)
        await world.approachEpoch(first + 1)
        await settle(A)
        assert.equal((await world.read('getValidator', [A.address])).rewards, 35n)
        await attestTo(first + 1, A, B)
        const reported = await report(await world.sign(A, first), await world.sign(A, first, { l1OriginNumber: 6n }))
        assert.deepEqual(
          world.events(reported).filter(({ eventName }) => eventName === 'RewardsForfeited'),
          [{ eventName: 'RewardsForfeited', validator: A.address, amount: 35n }],
        )
        await world.approachEpoch(first + 2)
        assert.equal((await world.send(STRANGER, 'claimRewards', [A.address])).reverted, 'NothingToWithdraw()')
        await settle(A)
        await settle(B)
        assert.deepEqual(await world.read('accounts'), [2n * STAKE, 0n, 70n, 930n, STAKE], 'B has its two halves')
        assert.equal(await world.read('rewardsReleased'), 70n)
      })

      it('is not what the same key signed on this chain before it was made anew', async () => {
        const words = [await world.sign(A, first), await world.sign(A, first, { l1OriginNumber: 6n })]
        world = await deployStaking(chain)
        const earlier = words.map(async ({ attestation }) => {
          // while nobody is registered the salt is zero, which stands for another chain's
          return { attestation, signature: await A.sign({ hash: await world.read('attestationDigest', [attestation]) }) }
        })
        const [one, two] = (await Promise.all(earlier)) as [SignedAttestation, SignedAttestation]
        assert.equal((await report(one, two)).reverted, `UnknownValidator(${A.address})`)
        assert.equal((await world.register(OWNER, A, STAKE)).reverted, null)
        assert.match((await report(one, two)).reverted ?? '', /^DifferentSigners/)
      })

      it('has no time limit while the stake is here', async () => {
        const pair = [await world.sign(A, first), await world.sign(A, first, { checkpointHash: LIE })] as const
        assert.equal((await world.send(OWNER, 'exit', [A.address])).reverted, null)
        await chain.mine(79)
        const outcome = await report(...pair)
        assert.deepEqual(slashes(world, outcome), [[DOUBLE_ATTESTATION, STAKE]])
        assert.equal((await world.send(OWNER, 'withdraw', [A.address])).reverted, 'NothingToWithdraw()')
      })
    })

    describe('an invalid attestation', () => {
      const report = ({ attestation, signature }: SignedAttestation) =>
        world.send(STRANGER, 'reportInvalidAttestation', [attestation, signature])
      const bringUp = (key: typeof A, epoch = first) => world.send(STRANGER, 'settleInvalidAttestation', [BigInt(epoch), key.address])
      const lie = (key: typeof A, epoch = first) => world.sign(key, epoch, { checkpointHash: LIE })

      it('costs 1 part in 100 and 9 more by the share that erred, brought up by later evidence', async () => {
        await begin()
        assert.deepEqual(slashes(world, await report(await lie(A))), [[INVALID_ATTESTATION, 40_000n]])
        assert.deepEqual(slashes(world, await report(await lie(B))), [[INVALID_ATTESTATION, 70_000n]])
        assert.deepEqual(slashes(world, await bringUp(A)), [[INVALID_ATTESTATION, 30_000n]])
        assert.deepEqual(slashes(world, await report(await lie(C))), [[INVALID_ATTESTATION, 100_000n]])
        await world.approach(first * 10 + 41)
        for (const key of KEYS) await bringUp(key)
        assert.deepEqual(await Promise.all(KEYS.map(stakeOf)), [900_000n, 900_000n, 900_000n])
        assert.deepEqual(await world.read('accounts'), [2_700_000n, 0n, 0n, 0n, 300_000n])
        assert.equal((await bringUp(A)).reverted, `AlreadyClosed(${A.address},${first})`)
      })

      it('of one with hardly any weight costs hardly more than 1 part in 100', async () => {
        await begin({}, [10_000n, 100_000_000n])
        assert.deepEqual(slashes(world, await report(await lie(A))), [[INVALID_ATTESTATION, 100n]])
      })

      it('is shown once, of an active validator, with a hash the chain does not have', async () => {
        await begin({ seats: 2n })
        const right = await world.sign(A, first)
        assert.equal((await report(right)).reverted, `CheckpointIsRight(${first * 10 - 1})`)
        const wrong = await lie(A)
        assert.equal((await report(wrong)).reverted, null)
        assert.equal((await report(wrong)).reverted, `AlreadyReported(${A.address},${first})`)
        assert.equal((await report(await lie(C))).reverted, `NotActive(${C.address},${first})`)
        assert.equal((await report(await lie(A, first + 1))).reverted, `EpochToCome(${first + 1})`)
        const ahead = await world.sign(B, first, { checkpointNumber: BigInt(chain.height() + 1), checkpointHash: LIE })
        assert.equal((await report(ahead)).reverted, `CheckpointNotServed(${chain.height()})`)
        assert.equal((await report(ahead)).reverted, null, 'the block is there now')
        assert.equal((await bringUp(C)).reverted, `NotReported(${C.address},${first})`)
      })

      it('is no offence where the chain does not know the hash any more, or never did', async () => {
        await begin()
        await chain.mine(SERVED_BLOCKS)
        const epoch = world.epoch() + 1
        await world.approachEpoch(epoch)
        const old = await world.sign(A, epoch, { checkpointNumber: 1n, checkpointHash: LIE })
        assert.equal((await report(old)).reverted, 'CheckpointNotServed(1)')
      })

      it('is evidence until the time for it is over, and no stake leaves before the price is final', async () => {
        await begin({ unbondingBlocks: 61n })
        assert.equal((await world.send(OWNER, 'exit', [A.address])).reverted, null)
        const leaving = chain.height() + 61
        const last = first * 10 + 40
        const [one, two] = [await lie(A), await lie(B)]
        await world.approach(last)
        assert.deepEqual(slashes(world, await report(one)), [[INVALID_ATTESTATION, 40_000n]])
        assert.equal((await report(two)).reverted, `EvidenceTooOld(${last})`)
        await world.approach(leaving)
        assert.equal((await world.send(OWNER, 'withdraw', [A.address])).reverted, `OffenceOpen(${A.address},1)`)
        const closed = await bringUp(A)
        assert.deepEqual(world.events(closed), [
          { eventName: 'InvalidAttestationClosed', validator: A.address, epoch: BigInt(first), charged: 40_000n },
        ])
        assert.equal((await world.send(OWNER, 'withdraw', [A.address])).reverted, null)
        assert.deepEqual(await world.read('accounts'), [2n * STAKE, 0n, 0n, 0n, 40_000n])
      })

      it('costs the same whatever the order of reports', async () => {
        const stakes = [STAKE, 3n * STAKE + 1n, 777_777n]
        const total = stakes.reduce((sum, stake) => sum + stake)
        await fc.assert(
          fc.asyncProperty(fc.shuffledSubarray([0, 1, 2], { minLength: 1 }), fc.array(fc.nat(2)), async (order, inBetween) => {
            await begin({}, stakes)
            const lies = await Promise.all(KEYS.map((key) => lie(key)))
            for (const [turn, index] of order.entries()) {
              assert.equal((await report(lies[index] as SignedAttestation)).reverted, null)
              const other = inBetween[turn]
              if (other !== undefined) await bringUp(KEYS[other] as typeof A)
            }
            await world.approach(first * 10 + 41)
            for (const key of KEYS) await bringUp(key)
            const erred = order.reduce((sum, index) => sum + (stakes[index] as bigint), 0n)
            for (const [index, stake] of stakes.entries()) {
              const price = order.includes(index) ? (stake * (total + 9n * erred)) / (100n * total) : 0n
              assert.equal(await stakeOf(KEYS[index] as typeof A), stake - price)
            }
          }),
          { numRuns: 5, seed: 20_261_121 },
        )
      })
    })

    describe('long downtime', () => {
      it('costs 1 part in 1000 for each day of three epochs, and ends with an attestation', async () => {
        await begin({ maxDowntimeDays: 4n })
        for (let epoch = first; epoch < first + 12; epoch++) {
          await world.approachEpoch(epoch)
          await attestTo(epoch, B, C)
          // epoch first + 3 is the first in which three are over
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
        assert.deepEqual(slashes(world, await settle(A)), [], 'two epochs are over since')
        await world.approachEpoch(first + 15)
        assert.deepEqual(slashes(world, await settle(A)), [[DOWNTIME, 997n]])
        assert.deepEqual(slashes(world, await settle(B)), [])
      })

      it('costs the same when it is asked for at once, also of stake that is leaving', async () => {
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

      it('costs nothing in epochs in which less than two thirds attested, or in which one is not active', async () => {
        await begin({ seats: 2n }, [STAKE, 2n * STAKE, 4n * STAKE])
        // B and C are active, A waits; C weighs just two thirds
        for (let epoch = first; epoch < first + 4; epoch++) {
          await world.approachEpoch(epoch)
          await attestTo(epoch, C)
        }
        assert.equal(await world.read('silentEpochs', [A.address]), 0n)
        assert.equal(await world.read('silentEpochs', [B.address]), 3n)
        assert.equal((await world.send(OWNER, 'exit', [C.address])).reverted, null)
        assert.equal((await world.send(OWNER, 'stake', [A.address], 3n * STAKE)).reverted, null)
        // A and B are active from here on; A weighs two thirds, then less: B adds a wei to what a day of silence took
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

      it('costs the honest nothing while a minority attests to blocks that are not final and finality stands still', async () => {
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

      it('goes on where it was for one that leaves the active set and comes back', async () => {
        await begin()
        for (let epoch = first; epoch < first + 5; epoch++) {
          await world.approachEpoch(epoch)
          if (epoch === first + 1) {
            // leaves, comes back and leaves within one epoch, which is live only afterwards
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
        assert.deepEqual(slashes(world, await settle(A)), [[DOWNTIME, 3_000n]], 'of 1 million staked and 2 leaving')
      })
    })

    describe('a seat', () => {
      const D = validatorKey(4)
      /** A is silent; B and C keep each epoch live. */
      async function beSilentFor(epochs: number): Promise<number> {
        const until = Math.max(world.epoch(), first) + epochs
        for (let epoch = until - epochs; epoch < until; epoch++) {
          if (epoch > world.epoch()) await world.approachEpoch(epoch)
          await attestTo(epoch, B, C)
        }
        await world.approachEpoch(until)
        return until
      }
      const weightOf = ({ address }: typeof A, epoch: number) => world.read('weightAt', [address, BigInt(epoch)]) as Promise<bigint>
      const rejoin = (from: number = OWNER) => world.send(from, 'rejoin', [A.address])

      it('is lost after the longest downtime of silence, and goes to the first waiting validator', async () => {
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
        // more stake alone brings nothing back
        assert.equal((await world.send(OWNER, 'stake', [A.address], 10n * STAKE)).reverted, null)
        assert.equal(await weightOf(A, epoch + 1), 0n)
        assert.equal((await world.send(OWNER, 'exit', [A.address])).reverted, null)
      })

      it('comes back when the owner asks for it, with silence at zero', async () => {
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
        assert.deepEqual(slashes(world, await settle(A)), [[DOWNTIME, 997n]], 'a day is what it was')
      })

      it('is lost whether another account or its own late attestation settles the silence', async () => {
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

    describe('late attestations', () => {
      beforeEach(() => begin())

      it('cost 1 part in 10000 for each hour of two epochs in which none was in time', async () => {
        const found: unknown[] = []
        for (let epoch = first; epoch < first + 5; epoch++) found.push(slashes(world, await attestWith(5, epoch, A)))
        assert.deepEqual(found, [[], [], [[LATE_ATTESTATIONS, 100n]], [], [[LATE_ATTESTATIONS, 99n]]])
      })

      it('an attestation at the last block of grace is in time, and a missing one is not a late one', async () => {
        const laters = [5, 4, 5, 5, 4, 9, 9, null, 9, 9, 5]
        for (const [index, later] of laters.entries()) {
          if (later === null) continue
          const charged = slashes(world, await attestWith(later, first + index, A))
          assert.deepEqual(charged, index === 10 ? [[LATE_ATTESTATIONS, 100n]] : [], `epoch ${index}`)
        }
      })
    })

    it('leaves one that falls below the minimum out of the next epoch', async () => {
      await begin({}, [10_000n, STAKE])
      const liar = await world.sign(A, first, { checkpointHash: LIE })
      await world.send(STRANGER, 'reportInvalidAttestation', [liar.attestation, liar.signature])
      assert.equal(await world.read('weightAt', [A.address, BigInt(first)]), 10_000n)
      assert.equal(await world.read('weightAt', [A.address, BigInt(first + 1)]), 0n)
      assert.deepEqual(await world.read('nextActiveSet'), [B.address])
    })
  })
}
