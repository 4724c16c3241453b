import assert from 'node:assert/strict'
import { type Address, parseEther } from 'viem'
import { CONTRACT_CHAINS, type ContractChain } from '../support/contract-chain.ts'
import {
  deployStaking,
  eventNames,
  highForm,
  NUMBER_HASHES,
  numberHash,
  SERVED_BLOCKS,
  type StakingWorld,
  validatorKey,
} from '../support/staking-contract.ts'

const [OWNER, OTHER, STRANGER] = [1, 2, 3] as const
const STAKE = 20_000n
const MINIMUM = 10_000n
const [A, B, C, D] = [validatorKey(1), validatorKey(2), validatorKey(3), validatorKey(4)] as const
const BLOCK_KEY = validatorKey(1, 'block key')
const NOBODY: Address = `0x${'00'.repeat(20)}`

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`the contract Staking on ${name}`, () => {
    let chain: ContractChain
    let world: StakingWorld
    before(async () => {
      chain = await open([NUMBER_HASHES])
    })
    after(() => chain.stop())
    beforeEach(async () => {
      world = await deployStaking(chain)
    })
    const account = (index: number) => chain.accounts[index]?.address as Address
    const weights = (epoch: number) =>
      Promise.all([A, B, C, D].map(({ address }) => world.read('weightAt', [address, BigInt(epoch)]) as Promise<bigint>))
    async function enlist(...stakes: readonly bigint[]): Promise<number> {
      await world.approachEpoch(world.epoch() + 1)
      for (const [index, stake] of stakes.entries()) {
        assert.equal((await world.register(OWNER, validatorKey(index + 1), stake)).reverted, null)
      }
      const first = world.epoch() + 1
      await world.approachEpoch(first)
      return first
    }
    async function done(outcome: ReturnType<StakingWorld['send']>): Promise<void> {
      assert.equal((await outcome).reverted, null)
    }

    describe('registration', () => {
      it('accepts both keys with their proofs of possession and stakes the value of the call', async () => {
        const registered = await world.register(OWNER, A, STAKE, BLOCK_KEY)
        const epoch = BigInt(world.epoch() + (chain.height() % 10 === 9 ? 0 : 1))
        assert.deepEqual(world.events(registered), [
          {
            eventName: 'ValidatorRegistered',
            validator: A.address,
            owner: account(OWNER),
            id: 1n,
            blockKey: BLOCK_KEY.address,
            payout: account(OWNER),
          },
          { eventName: 'StakeIncreased', validator: A.address, amount: STAKE, stake: STAKE },
          { eventName: 'WeightChanged', validator: A.address, epoch, weight: STAKE, totalWeight: STAKE },
        ])
        assert.equal(await world.read('validatorOfBlockKey', [BLOCK_KEY.address]), A.address)
        assert.equal(await world.read('validatorOf', [1n]), A.address)
        assert.equal(await world.read('anchor'), numberHash(chain.height() - 1))
        await world.register(OWNER, B, STAKE)
        assert.equal(await world.read('anchor'), numberHash(chain.height() - 2), 'only the first sets it')
        assert.deepEqual(new Set(await world.read('nextActiveSet')), new Set([A.address, B.address]))
      })

      it('rejects a key without a proof for this owner and payout address, and a key in use', async () => {
        const signed = await A.sign({ hash: await world.read('registrationDigest', [account(OWNER), account(OWNER), A.address, NOBODY]) })
        const register = (from: number, payout: Address, proof = signed, key = A.address, blockKey = NOBODY, blockProof = '0x') =>
          world.send(from, 'register', [key, blockKey, payout, proof, blockProof])
        assert.equal((await register(OTHER, account(OWNER))).reverted, 'BadSignature()')
        assert.equal((await register(OWNER, account(OTHER))).reverted, 'BadSignature()')
        assert.equal((await register(OWNER, NOBODY)).reverted, 'PayoutIsZero()')
        assert.equal((await register(OWNER, account(OWNER), signed, NOBODY)).reverted, 'KeyIsZero()')
        assert.equal((await register(OWNER, account(OWNER), '0x00')).reverted, 'BadSignature()')
        assert.equal((await register(OWNER, account(OWNER), `0x${'00'.repeat(65)}`)).reverted, 'BadSignature()')
        const digest = await world.read('registrationDigest', [account(OWNER), account(OWNER), A.address, BLOCK_KEY.address])
        const both = await A.sign({ hash: digest })
        assert.equal((await register(OWNER, account(OWNER), both, A.address, BLOCK_KEY.address, both)).reverted, 'BadSignature()')
        await done(register(OWNER, account(OWNER), both, A.address, BLOCK_KEY.address, await BLOCK_KEY.sign({ hash: digest })))
        assert.equal((await register(OWNER, account(OWNER), both)).reverted, `KeyTaken(${A.address})`)
        assert.equal((await world.register(OTHER, B, 0n, BLOCK_KEY)).reverted, `KeyTaken(${BLOCK_KEY.address})`)
      })

      it('rejects periods that cannot work', async () => {
        const changes = [
          { epochBlocks: 0n },
          { graceBlocks: 10n },
          { hourBlocks: 15n },
          { dayBlocks: 25n },
          { maxDowntimeDays: 366n },
          { unbondingBlocks: 60n },
          { seats: 0n },
          { minimumStake: 0n },
          { rewardPerBlock: 1n << 64n },
        ]
        for (const change of changes) {
          await assert.rejects(deployStaking(chain, change), new RegExp(`BadParameters\\(${Object.keys(change)[0]}\\)`))
        }
        await deployStaking(chain, { unbondingBlocks: 61n })
        const periods = { graceBlocks: 10n, hourBlocks: 1800n, dayBlocks: 43_200n, maxDowntimeDays: 100n, evidenceBlocks: 8000n }
        const amounts = { seats: 100n, minimumStake: parseEther('10000'), rewardPerBlock: parseEther('2') }
        for (const epochBlocks of [15n, 150n])
          await deployStaking(chain, { epochBlocks, ...periods, unbondingBlocks: 302_400n, ...amounts })
      })
    })

    describe('a stake', () => {
      it('can be changed only by its owner, and never falls below the minimum except to zero', async () => {
        assert.equal((await world.register(OWNER, A, MINIMUM - 1n)).reverted, `BelowMinimum(${MINIMUM - 1n},${MINIMUM})`)
        await done(world.register(OWNER, A, 0n))
        assert.equal((await world.send(OTHER, 'stake', [A.address], STAKE)).reverted, `NotTheOwner(${A.address},${account(OWNER)})`)
        assert.equal((await world.send(OWNER, 'stake', [B.address], STAKE)).reverted, `UnknownValidator(${B.address})`)
        assert.equal((await world.send(OWNER, 'stake', [A.address], 0n)).reverted, 'AmountIsZero()')
        await done(world.send(OWNER, 'stake', [A.address], MINIMUM))
        assert.equal((await world.send(OTHER, 'unstake', [A.address, 1n])).reverted, `NotTheOwner(${A.address},${account(OWNER)})`)
        assert.equal((await world.send(OWNER, 'unstake', [A.address, 1n])).reverted, `BelowMinimum(${MINIMUM - 1n},${MINIMUM})`)
        await done(world.send(OWNER, 'stake', [A.address], 5n))
        assert.equal((await world.send(OWNER, 'unstake', [A.address, 0n])).reverted, 'AmountIsZero()')
        assert.equal((await world.send(OWNER, 'unstake', [A.address, 10_006n])).reverted, `AmountTooLarge(10006,10005)`)
        await done(world.send(OWNER, 'unstake', [A.address, 5n]))
        assert.deepEqual(await world.read('accounts'), [MINIMUM, 5n, 0n, 0n, 0n])
      })

      it('returns to the payout address after a delay, which a second request restarts', async () => {
        await enlist(STAKE)
        await done(world.send(OWNER, 'unstake', [A.address, 1000n]))
        await chain.mine(20)
        const outcome = await world.send(OWNER, 'exit', [A.address])
        const availableAt = chain.height() + 80
        const [decreased] = world.events(outcome)
        assert.deepEqual(decreased, {
          eventName: 'StakeDecreased',
          validator: A.address,
          amount: 19_000n,
          stake: 0n,
          availableAt: BigInt(availableAt),
        })
        await done(world.send(OWNER, 'setPayout', [A.address, `0x${'de'.repeat(20)}`]))
        assert.equal(
          (await world.send(OTHER, 'setPayout', [A.address, account(OTHER)])).reverted,
          `NotTheOwner(${A.address},${account(OWNER)})`,
        )
        await world.approach(availableAt - 1)
        assert.equal((await world.send(STRANGER, 'withdraw', [A.address])).reverted, `TooEarly(${availableAt})`)
        const before = await chain.reader.getBalance({ address: `0x${'de'.repeat(20)}` })
        await done(world.send(STRANGER, 'withdraw', [A.address]))
        assert.equal(await chain.reader.getBalance({ address: `0x${'de'.repeat(20)}` }), before + STAKE)
        assert.equal((await world.send(STRANGER, 'withdraw', [A.address])).reverted, 'NothingToWithdraw()')
        assert.deepEqual(await world.read('accounts'), [0n, 0n, 0n, 0n, 0n])
        assert.equal((await world.send(OWNER, 'exit', [A.address])).reverted, 'AmountIsZero()')
        await done(world.send(OWNER, 'stake', [A.address], MINIMUM))
      })

      it('is unaffected by a payout address of another validator that rejects payments', async () => {
        await enlist(STAKE, STAKE)
        await done(world.send(OWNER, 'setPayout', [A.address, NUMBER_HASHES.address]))
        await done(world.send(OWNER, 'setPayout', [B.address, world.address]))
        await done(world.send(OWNER, 'exit', [A.address]))
        await done(world.send(OWNER, 'exit', [B.address]))
        await chain.mine(80)
        await done(world.send(STRANGER, 'withdraw', [B.address]))
        assert.deepEqual(await world.read('accounts'), [0n, STAKE, 0n, STAKE, 0n], 'B gave its stake to the pool')
      })
    })

    describe('the active set', () => {
      it('holds the largest stakes, fixed at the start of an epoch', async () => {
        const epoch = await enlist(STAKE, STAKE + 2n, STAKE + 1n, STAKE)
        assert.deepEqual(await weights(epoch - 1), [0n, 0n, 0n, 0n])
        assert.deepEqual(await weights(epoch), [STAKE, STAKE + 2n, STAKE + 1n, 0n], 'the earlier of two equal stakes')
        assert.equal(await world.read('totalWeightAt', [BigInt(epoch)]), 3n * STAKE + 3n)
        await done(world.send(OWNER, 'stake', [D.address], 1n))
        assert.deepEqual(await weights(epoch), [STAKE, STAKE + 2n, STAKE + 1n, 0n], 'the running epoch is unchanged')
        assert.deepEqual(await weights(epoch + 1), [0n, STAKE + 2n, STAKE + 1n, STAKE + 1n])
        await done(world.send(OWNER, 'exit', [B.address]))
        assert.deepEqual(await weights(epoch + 1), [STAKE, 0n, STAKE + 1n, STAKE + 1n])
        await done(world.send(OWNER, 'stake', [B.address], MINIMUM))
        await done(world.send(OWNER, 'exit', [A.address]))
        assert.deepEqual(await weights(epoch + 1), [0n, MINIMUM, STAKE + 1n, STAKE + 1n])
        assert.deepEqual(new Set(await world.read('nextActiveSet')), new Set([B.address, C.address, D.address]))
        await world.approachEpoch(epoch + 1)
        await done(world.send(OWNER, 'stake', [B.address], 1n))
        assert.deepEqual(await weights(epoch), [STAKE, STAKE + 2n, STAKE + 1n, 0n], 'past epochs stay known')
        assert.deepEqual(await weights(epoch + 1), [0n, MINIMUM, STAKE + 1n, STAKE + 1n])
        assert.deepEqual(await weights(epoch + 2), [0n, MINIMUM + 1n, STAKE + 1n, STAKE + 1n])
      })
    })

    describe('an attestation', () => {
      it('is accepted once per epoch from an active validator, for a block before the epoch with its correct hash', async () => {
        await done(world.register(OWNER, A, STAKE))
        await done(world.register(OWNER, B, 0n))
        const first = world.epoch() + 1
        const early = await world.sign(A, first - 1)
        const ahead = await world.sign(A, first)
        if (world.epoch() < first) {
          assert.equal((await world.attest(early)).reverted, `NotActive(${A.address},${first - 1})`)
          assert.equal((await world.attest(ahead)).reverted, `WrongEpoch(${first},${first - 1})`)
        }
        await world.approachEpoch(first)
        assert.equal((await world.attest(early)).reverted, `WrongEpoch(${first - 1},${first})`)
        const slot = first * 10
        const atSlot = await world.sign(A, first, { checkpointNumber: BigInt(slot), checkpointHash: numberHash(slot) })
        assert.equal((await world.attest(atSlot)).reverted, `CheckpointTooNew(${slot},${slot})`)
        const wrong = await world.sign(A, first, { checkpointHash: numberHash(1) })
        assert.equal((await world.attest(wrong)).reverted, `WrongCheckpoint(${slot - 1},${numberHash(1)},${numberHash(slot - 1)})`)
        assert.equal((await world.attest(await world.sign(C, first))).reverted, `UnknownValidator(${C.address})`)
        assert.equal((await world.attest(await world.sign(B, first))).reverted, `NotActive(${B.address},${first})`)
        const attested = await world.attest(ahead)
        assert.deepEqual(world.events(attested), [
          {
            eventName: 'Attested',
            validator: A.address,
            epoch: BigInt(first),
            checkpointNumber: BigInt(slot - 1),
            checkpointHash: numberHash(slot - 1),
            weight: STAKE,
            lateBlocks: BigInt(chain.height() - slot),
            l1OriginNumber: ahead.attestation.l1OriginNumber,
            l1OriginHash: ahead.attestation.l1OriginHash,
            signature: ahead.signature,
          },
        ])
        assert.equal((await world.attest(ahead)).reverted, `AlreadyAttested(${A.address},${first})`)
        await world.approachEpoch(first + 1)
        const other = await world.sign(A, first + 1)
        const changed = { ...other, attestation: { ...other.attestation, l1OriginNumber: 6n } }
        assert.match((await world.attest(changed)).reverted ?? '', /^UnknownValidator/, 'the signature covers the L1 origin')
      })

      it('counts only in a form that peers accept: s in the lower half and a safe integer as L1 origin', async () => {
        const epoch = await enlist(STAKE)
        const signed = await world.sign(A, epoch)
        assert.equal((await world.attest(highForm(signed))).reverted, 'BadSignature()')
        const unreadable = await world.sign(A, epoch, { l1OriginNumber: 2n ** 53n })
        assert.equal((await world.attest(unreadable)).reverted, `L1OriginTooLarge(${2n ** 53n},${2n ** 53n - 1n})`)
        await done(world.attest(signed))
        await world.approachEpoch(epoch + 1)
        await done(world.attest(await world.sign(A, epoch + 1, { l1OriginNumber: 2n ** 53n - 1n })))
      })

      it('requires a block whose hash is still available', async () => {
        await enlist(STAKE)
        await chain.mine(SERVED_BLOCKS)
        const epoch = world.epoch() + 1
        await world.approachEpoch(epoch)
        const oldest = chain.height() + 2 - SERVED_BLOCKS
        const tooOld = await world.sign(A, epoch, { checkpointNumber: BigInt(oldest - 2) })
        assert.equal((await world.attest(tooOld)).reverted, `CheckpointNotServed(${oldest - 2})`)
        await done(world.attest(await world.sign(A, epoch, { checkpointNumber: BigInt(oldest) })))
      })
    })

    describe('rewards', () => {
      it('are paid by weight for epochs with attestations, and the rounding remainder returns to the pool', async () => {
        await done(world.send(STRANGER, 'fund', [], 1000n))
        const epoch = await enlist(10_000n, 10_000n, 13_000n)
        for (const key of [A, B, C]) await done(world.attest(await world.sign(key, epoch)))
        await world.approachEpoch(epoch + 1)
        const [closed, credited] = world.events(await world.send(STRANGER, 'settle', [A.address]))
        assert.deepEqual(closed, { eventName: 'EpochClosed', epoch: BigInt(epoch), reward: 70n, attestedWeight: 33_000n, attesters: 3n })
        assert.deepEqual(credited, { eventName: 'RewardCredited', validator: A.address, epoch: BigInt(epoch), amount: 21n })
        await done(world.attest(await world.sign(B, epoch + 1)))
        assert.deepEqual(await world.read('accounts'), [33_000n, 0n, 70n, 930n, 0n])
        const last = world.events(await world.send(STRANGER, 'claimRewards', [C.address]))
        assert.deepEqual(
          last.map(({ eventName, amount }) => [eventName, amount]),
          [
            ['RewardCredited', 27n],
            ['RoundingReturned', 1n],
            ['RewardsPaid', 27n],
          ],
        )
        assert.deepEqual(await world.read('accounts'), [33_000n, 0n, 42n, 931n, 0n])
        await world.approachEpoch(epoch + 5)
        await done(world.send(STRANGER, 'claimRewards', [B.address]))
        assert.deepEqual(await world.read('accounts'), [33_000n, 0n, 21n, 861n, 0n], 'only B attested in the next epoch, nobody in three')
        assert.equal(await world.read('rewardsReleased'), 139n)
        assert.equal((await world.send(STRANGER, 'claimRewards', [B.address])).reverted, 'NothingToWithdraw()')
      })

      it('are limited to a short pool, which reports the missing amount', async () => {
        const epoch = await enlist(STAKE)
        await done(chain.pay(STRANGER, world.address, 100n))
        assert.equal(await world.read('shortfall'), 0n)
        await done(world.attest(await world.sign(A, epoch)))
        await world.approachEpoch(epoch + 1)
        assert.deepEqual(eventNames(world, await world.attest(await world.sign(A, epoch + 1))), [
          'EpochClosed',
          'RewardCredited',
          'Attested',
        ])
        assert.equal(await world.read('shortfall'), 40n)
        await world.approachEpoch(epoch + 2)
        const funded = world.events(await world.send(STRANGER, 'fund', [], 1n))
        assert.deepEqual(
          funded.map(({ eventName, reward, missing, pool }) => [eventName, reward ?? missing ?? pool]),
          [
            ['EpochClosed', 30n],
            ['PoolShort', 40n],
            ['PoolFunded', 1n],
          ],
          'a later deposit does not count for the closed epoch',
        )
        assert.equal(await world.read('rewardsMissed'), 40n)
        assert.deepEqual(await world.read('accounts'), [STAKE, 0n, 100n, 1n, 0n])
      })
    })
  })
}
