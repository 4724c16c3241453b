import assert from 'node:assert/strict'
import fc from 'fast-check'
import { CONTRACT_CHAINS, type ContractChain } from '../support/contract-chain.ts'
import {
  deployStaking,
  highForm,
  NUMBER_HASHES,
  SERVED_BLOCKS,
  type SignedAttestation,
  type StakingParameters,
  slashes,
  validatorKey,
} from '../support/staking-contract.ts'
import {
  beginDuty,
  DOUBLE_ATTESTATION,
  DUTY_KEYS,
  type DutyWorld,
  INVALID_ATTESTATION,
  LIE,
  OWNER,
  STAKE,
  STRANGER,
} from '../support/staking-duty.ts'

const KEYS = DUTY_KEYS
const [A, B, C] = KEYS

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`slashing by the contract Staking on ${name}`, () => {
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

    describe('for double signing', () => {
      beforeEach(() => begin())
      const report = (one: SignedAttestation, two: SignedAttestation) =>
        world.send(STRANGER, 'reportDoubleAttestation', [one.attestation, one.signature, two.attestation, two.signature])

      it('takes the whole stake, including unbonding stake, only once, and bans the validator permanently', async () => {
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

      it('requires two different attestations of one key for one epoch', async () => {
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

      it('accepts the signatures in either form', async () => {
        const outcome = await report(highForm(await world.sign(A, first)), await world.sign(A, first, { l1OriginNumber: 6n }))
        assert.deepEqual(slashes(world, outcome), [[DOUBLE_ATTESTATION, STAKE]])
      })

      it('forfeits unpaid rewards, including that of the epoch of the offence', async () => {
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

      it('does not accept attestations from before the contract was deployed again on the same chain', async () => {
        const words = [await world.sign(A, first), await world.sign(A, first, { l1OriginNumber: 6n })]
        world = { ...world, ...(await deployStaking(chain)) }
        const earlier = words.map(async ({ attestation }) => {
          return { attestation, signature: await A.sign({ hash: await world.read('attestationDigest', [attestation]) }) }
        })
        const [one, two] = (await Promise.all(earlier)) as [SignedAttestation, SignedAttestation]
        assert.equal((await report(one, two)).reverted, `UnknownValidator(${A.address})`)
        assert.equal((await world.register(OWNER, A, STAKE)).reverted, null)
        assert.match((await report(one, two)).reverted ?? '', /^DifferentSigners/)
      })

      it('has no time limit while the validator has stake', async () => {
        const pair = [await world.sign(A, first), await world.sign(A, first, { checkpointHash: LIE })] as const
        assert.equal((await world.send(OWNER, 'exit', [A.address])).reverted, null)
        await chain.mine(79)
        const outcome = await report(...pair)
        assert.deepEqual(slashes(world, outcome), [[DOUBLE_ATTESTATION, STAKE]])
        assert.equal((await world.send(OWNER, 'withdraw', [A.address])).reverted, 'NothingToWithdraw()')
      })
    })

    describe('for an invalid attestation', () => {
      const report = ({ attestation, signature }: SignedAttestation) =>
        world.send(STRANGER, 'reportInvalidAttestation', [attestation, signature])
      const bringUp = (key: typeof A, epoch = first) => world.send(STRANGER, 'settleInvalidAttestation', [BigInt(epoch), key.address])
      const lie = (key: typeof A, epoch = first) => world.sign(key, epoch, { checkpointHash: LIE })

      it('takes 1 part in 100 plus 9 times the share that erred, and more when later evidence raises that share', async () => {
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

      it('takes hardly more than 1 part in 100 from a validator with hardly any weight', async () => {
        await begin({}, [10_000n, 100_000_000n])
        assert.deepEqual(slashes(world, await report(await lie(A))), [[INVALID_ATTESTATION, 100n]])
      })

      it('accepts one report per active validator, with a hash that is not on the chain', async () => {
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
        assert.equal((await report(ahead)).reverted, null, 'the block exists now')
        assert.equal((await bringUp(C)).reverted, `NotReported(${C.address},${first})`)
      })

      it('accepts no hash that the chain no longer serves or never served', async () => {
        await begin()
        await chain.mine(SERVED_BLOCKS)
        const epoch = world.epoch() + 1
        await world.approachEpoch(epoch)
        const old = await world.sign(A, epoch, { checkpointNumber: 1n, checkpointHash: LIE })
        assert.equal((await report(old)).reverted, 'CheckpointNotServed(1)')
      })

      it('accepts evidence until its deadline, and releases no stake before the penalty is final', async () => {
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

      it('takes the same amount for any order of reports', async () => {
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
  })
}
