import assert from 'node:assert/strict'
import {
  attestationDigest,
  decodeActiveSet,
  decodeAnchor,
  decodeDuty,
  decodeStakingAccounts,
  decodeStakingSignature,
  decodeUint,
  decodeValidator,
  encodeAttest,
  encodeClaimRewards,
  encodeExit,
  encodeGetDuty,
  encodeGetValidator,
  encodeRegister,
  encodeRejoin,
  encodeSetPayout,
  encodeSilentEpochs,
  encodeStake,
  encodeStakingSignature,
  encodeTotalWeightAt,
  encodeUnstake,
  encodeValidatorOf,
  encodeValidatorOfBlockKey,
  encodeWeightAt,
  encodeWithdraw,
  findAttested,
  findStakingRefusal,
  registrationDigest,
  STAKING_ACCOUNTS,
  STAKING_ANCHOR,
  STAKING_NEXT_ACTIVE_SET,
  STAKING_WORDS,
} from '@keelson/contracts'
import { type Address, createPureCrypto, hexToBytes, keccak256, parseLogJson, toHash, utf8ToBytes } from '@keelson/primitives'
import { bytesToHex, encodeFunctionData, getAddress, type Hex } from 'viem'
import { CONTRACT_CHAINS, type ContractChain } from '../support/contract-chain.ts'
import { deployStaking, NUMBER_HASHES, type StakingWorld, stakingAbi, validatorKey } from '../support/staking-contract.ts'

const OWNER = 1
const KEY = validatorKey(1)
const BLOCK_KEY = validatorKey(1, 'block key')
const SECRET = keccak256(utf8ToBytes('keelson test validator 1'))
const STAKE = 20_000n
const crypto = createPureCrypto()
const lower = (address: string) => address.toLowerCase() as Address

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`the TypeScript bindings of the contract Staking on ${name}`, () => {
    let chain: ContractChain
    let world: StakingWorld
    before(async () => {
      chain = await open([NUMBER_HASHES])
    })
    after(() => chain.stop())
    beforeEach(async () => {
      world = await deployStaking(chain)
    })
    const ask = async (data: Uint8Array): Promise<Uint8Array> => {
      const answer = await chain.reader.call({ to: world.address, data: bytesToHex(data) })
      return hexToBytes(answer.data as Hex)
    }
    const domain = async () => ({ chainId: BigInt(await chain.reader.getChainId()), contract: lower(world.address) })
    const owner = () => lower(chain.accounts[OWNER]?.address as string)

    it('compute the same digests as the contract, with and without an anchor', async () => {
      const attestation = {
        epoch: 7,
        checkpointNumber: 69,
        checkpointHash: toHash(`0x${'ab'.repeat(32)}`),
        l1OriginNumber: 2 ** 40,
        l1OriginHash: toHash(`0x${'cd'.repeat(32)}`),
      }
      const onChain = () =>
        world.read('attestationDigest', [
          {
            ...attestation,
            epoch: BigInt(attestation.epoch),
            checkpointNumber: BigInt(attestation.checkpointNumber),
            l1OriginNumber: BigInt(attestation.l1OriginNumber),
          },
        ])
      const here = async () => bytesToHex(attestationDigest(await domain(), decodeAnchor(await ask(STAKING_ANCHOR)), attestation))
      const before = await here()
      assert.equal(before, await onChain())
      assert.equal((await world.register(OWNER, KEY, STAKE)).reverted, null)
      const after = await here()
      assert.equal(after, await onChain())
      assert.notEqual(after, before)

      const registration = { owner: owner(), payout: lower(`0x${'77'.repeat(20)}`), signingKey: lower(KEY.address), blockKey: owner() }
      assert.equal(
        bytesToHex(registrationDigest(await domain(), registration)),
        await world.read('registrationDigest', [registration.owner, registration.payout, registration.signingKey, registration.blockKey]),
      )
    })

    it('encode call data like the ABI, with signatures that the contract accepts', async () => {
      const keys = { signingKey: lower(KEY.address), blockKey: lower(BLOCK_KEY.address), payout: owner() }
      const proof = new Uint8Array(65).fill(3)
      const same = (data: Uint8Array, functionName: string, args: readonly unknown[]) =>
        assert.equal(bytesToHex(data), encodeFunctionData({ abi: stakingAbi, functionName, args }), functionName)
      const hex = bytesToHex(proof)
      same(encodeRegister(keys, { signingProof: proof, blockProof: proof }), 'register', [
        keys.signingKey,
        keys.blockKey,
        keys.payout,
        hex,
        hex,
      ])
      same(encodeStake(keys.signingKey), 'stake', [keys.signingKey])
      same(encodeUnstake(keys.signingKey, 5n), 'unstake', [keys.signingKey, 5n])
      same(encodeExit(keys.signingKey), 'exit', [keys.signingKey])
      same(encodeRejoin(keys.signingKey), 'rejoin', [keys.signingKey])
      same(encodeWithdraw(keys.signingKey), 'withdraw', [keys.signingKey])
      same(encodeClaimRewards(keys.signingKey), 'claimRewards', [keys.signingKey])
      same(encodeSetPayout(keys.signingKey, keys.blockKey), 'setPayout', [keys.signingKey, keys.blockKey])

      assert.equal((await world.register(OWNER, KEY, STAKE, BLOCK_KEY)).reverted, null)
      await world.approachEpoch(world.epoch() + 1, 2)
      const { attestation: a } = await world.sign(KEY, world.epoch())
      const attestation = {
        epoch: Number(a.epoch),
        checkpointNumber: Number(a.checkpointNumber),
        checkpointHash: toHash(a.checkpointHash),
        l1OriginNumber: Number(a.l1OriginNumber),
        l1OriginHash: toHash(a.l1OriginHash),
      }
      const digest = attestationDigest(await domain(), decodeAnchor(await ask(STAKING_ANCHOR)), attestation)
      const signature = encodeStakingSignature(crypto.sign(digest, SECRET))
      assert.deepEqual(decodeStakingSignature(signature), crypto.sign(digest, SECRET))
      same(encodeAttest({ attestation, signature }), 'attest', [a, bytesToHex(signature)])
      const outcome = await world.attest({ attestation: a, signature: bytesToHex(signature) })
      assert.equal(outcome.reverted, null)
      const [log] = outcome.logs.filter(({ topics }) => topics.length === 3)
      const event = findAttested(lower(world.address), parseLogJson(log))
      assert.deepEqual(event, {
        validator: lower(KEY.address),
        epoch: attestation.epoch,
        checkpointNumber: attestation.checkpointNumber,
        checkpointHash: attestation.checkpointHash,
        weightWei: STAKE,
        lateBlocks: 2,
        signed: { attestation, signature },
      })
    })

    it('convert a signature with s in the upper half, as some signing services return it, to the form the contract accepts', () => {
      const { r, s, yParity } = crypto.sign(keccak256(utf8ToBytes('anything')), SECRET)
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
      const other = { r, s: order - s, yParity: yParity === 0 ? 1 : 0 } as const
      assert.deepEqual(encodeStakingSignature(other), encodeStakingSignature({ r, s, yParity }))
    })

    it('decode views as the ABI specifies', async () => {
      assert.equal((await world.register(OWNER, KEY, STAKE, BLOCK_KEY)).reverted, null)
      await world.approachEpoch(world.epoch() + 1, 1)
      const epoch = world.epoch()
      assert.equal((await world.attest(await world.sign(KEY, epoch))).reverted, null)
      assert.equal((await world.send(OWNER, 'unstake', [KEY.address, 3_000n])).reverted, null)
      const key = lower(KEY.address)

      const validator = await world.read('getValidator', [KEY.address])
      const { attestedWeight: _unread, owner: itsOwner, payout, blockKey, ...rest } = validator
      assert.deepEqual(decodeValidator(await ask(encodeGetValidator(key))), {
        owner: lower(itsOwner),
        payout: lower(payout),
        blockKey: lower(blockKey),
        id: Number(rest.id),
        slashed: rest.slashed,
        ejected: rest.ejected,
        availableAt: Number(rest.availableAt),
        openOffences: rest.openOffences,
        stakeWei: rest.stake,
        unbondingWei: rest.unbonding,
        rewardsWei: rest.rewards,
      })
      assert.equal(rest.unbonding, 3_000n)
      const duty = await world.read('getDuty', [KEY.address])
      assert.deepEqual(decodeDuty(await ask(encodeGetDuty(key))), duty)
      assert.equal(duty.lastEpoch, epoch)
      const [stakesWei, unbondingWei, rewardsWei, poolWei, slashedWei] = await world.read('accounts')
      assert.deepEqual(decodeStakingAccounts(await ask(STAKING_ACCOUNTS)), { stakesWei, unbondingWei, rewardsWei, poolWei, slashedWei })
      assert.equal(stakesWei, STAKE - 3_000n)
      for (const [word, data] of Object.entries(STAKING_WORDS)) {
        assert.equal(decodeUint(await ask(data)), BigInt(await world.read(word)), word)
      }
      for (const at of [epoch, epoch + 1]) {
        assert.equal(decodeUint(await ask(encodeWeightAt(key, at))), await world.read('weightAt', [KEY.address, BigInt(at)]))
        assert.equal(decodeUint(await ask(encodeTotalWeightAt(at))), await world.read('totalWeightAt', [BigInt(at)]))
      }
      assert.equal(decodeUint(await ask(encodeSilentEpochs(key))), await world.read('silentEpochs', [KEY.address]))
      assert.deepEqual(decodeActiveSet(await ask(STAKING_NEXT_ACTIVE_SET)).map(getAddress), await world.read('nextActiveSet'))
      assert.equal(bytesToHex(await ask(encodeValidatorOf(1))).slice(26), key.slice(2))
      assert.equal(bytesToHex(await ask(encodeValidatorOfBlockKey(lower(BLOCK_KEY.address)))).slice(26), key.slice(2))
    })

    it('describe each revert in words', async () => {
      const refused = async (data: Uint8Array, valueWei = 0n) => {
        const error = await chain.reader
          .call({ account: chain.accounts[OWNER]?.address as Hex, to: world.address, data: bytesToHex(data), value: valueWei })
          .then(
            () => null,
            (failure: { walk(matches: (cause: unknown) => boolean): { data?: Hex | { data?: Hex } } | null }) =>
              failure.walk((cause) => typeof (cause as { data?: unknown }).data === 'string'),
          )
        return findStakingRefusal(hexToBytes((error?.data ?? '0x') as Hex))
      }
      const unknown = await refused(encodeStake(lower(KEY.address)), 1n)
      assert.equal(unknown?.name, 'UnknownValidator')
      assert.match(unknown?.words ?? '', new RegExp(lower(KEY.address)))
      await world.register(OWNER, KEY, STAKE)
      assert.equal((await refused(encodeUnstake(lower(KEY.address), STAKE + 1n)))?.name, 'AmountTooLarge')
      assert.equal((await refused(encodeUnstake(lower(KEY.address), STAKE - 1n)))?.name, 'BelowMinimum')
      assert.equal((await refused(encodeWithdraw(lower(KEY.address))))?.name, 'NothingToWithdraw')
    })
  })
}
