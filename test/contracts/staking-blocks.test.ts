import assert from 'node:assert/strict'
import { bytesToHex, type Hash, type PayloadEnvelope, toHash } from '@keelson/primitives'
import { concatHex, type Hex, parseSignature, serializeSignature } from 'viem'
import { blockSigningDigest, encodeSignedPart } from '../../packages/primitives/src/op/block-message.ts'
import { CONTRACT_CHAINS, type ContractChain } from '../support/contract-chain.ts'
import { makePayload, type PayloadRequest } from '../support/payloads.ts'
import { deployStaking, NUMBER_HASHES, type StakingWorld, slashes, validatorKey } from '../support/staking-contract.ts'

const [OWNER, STRANGER] = [1, 3] as const
const DOUBLE_BLOCK = 1
const STAKE = 1_000_000n
const SIGNER = validatorKey(1)
const BLOCK_KEY = validatorKey(1, 'block key')
const hashOf = (byte: string): Hash => toHash(`0x${byte.repeat(32)}`)
const BLOCK: PayloadRequest = {
  number: 7,
  parentHash: hashOf('0a'),
  timestampSec: 1_800_000_014,
  l1Origin: { number: 3, hash: hashOf('0b') },
  sequenceNumber: 1,
}
const OTHER: PayloadRequest = { ...BLOCK, transactions: [Uint8Array.of(2, 0xc0)] }
const CHAIN_ID = 901n

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`signed blocks in the contract Staking on ${name}`, () => {
    let chain: ContractChain
    let world: StakingWorld
    before(async () => {
      chain = await open([NUMBER_HASHES])
    })
    after(() => chain.stop())
    beforeEach(async () => {
      world = await deployStaking(chain)
      assert.equal((await world.register(OWNER, SIGNER, STAKE, BLOCK_KEY)).reverted, null)
    })
    async function report(envelope: PayloadEnvelope, { key = BLOCK_KEY, chainId = CHAIN_ID, change = (raw: Uint8Array) => raw } = {}) {
      const signedPart = change(encodeSignedPart(envelope))
      const signature = parseSignature(await key.sign({ hash: bytesToHex(blockSigningDigest(chainId, signedPart)) }))
      const gossiped: Hex = concatHex([serializeSignature(signature).slice(0, -2) as Hex, signature.yParity === 0 ? '0x00' : '0x01'])
      return world.send(STRANGER, 'reportSignedBlock', [bytesToHex(signedPart), gossiped])
    }

    for (const version of [3, 4] as const) {
      it(`slashes the whole stake once for two blocks of version ${version} at one position`, async () => {
        const noted = await report(makePayload({ ...BLOCK, version }))
        assert.equal(noted.reverted, null)
        assert.equal(world.events(noted)[0]?.eventName, 'SignedBlockNoted')
        assert.match((await report(makePayload({ ...BLOCK, version }))).reverted ?? '', /^AlreadyNoted/)
        assert.deepEqual(slashes(world, await report(makePayload({ ...OTHER, version }))), [[DOUBLE_BLOCK, STAKE]])
        assert.deepEqual(await world.read('accounts'), [0n, 0n, 0n, 0n, STAKE])
        assert.equal((await report(makePayload({ ...OTHER, version }))).reverted, `SlashedForGood(${SIGNER.address})`)
      })
    }

    it('does not slash for blocks with different heights, parents or L1 origins', async () => {
      const others: readonly Partial<PayloadRequest>[] = [
        { number: 8 },
        { number: 7 + 2 ** 32 },
        { parentHash: hashOf('0c') },
        // An honest sequencer signs such blocks after an L1 reorg.
        { l1Origin: { number: 3, hash: hashOf('0d') } },
        { l1Origin: { number: 2, hash: hashOf('0e') }, sequenceNumber: 4 },
      ]
      for (const change of [{}, ...others]) {
        const outcome = await report(makePayload({ ...OTHER, ...change }))
        assert.equal(outcome.reverted, null)
        assert.equal(world.events(outcome)[0]?.eventName, 'SignedBlockNoted')
      }
      assert.deepEqual(await world.read('accounts'), [STAKE, 0n, 0n, 0n, 0n])
    })

    it('accepts blocks of 100,000 bytes at a gas price per byte', async () => {
      const filler = new Uint8Array(100_000).fill(2)
      assert.equal((await report(makePayload(BLOCK))).reverted, null)
      const outcome = await report(makePayload({ ...BLOCK, transactions: [filler] }))
      assert.deepEqual(slashes(world, outcome), [[DOUBLE_BLOCK, STAKE]])
      assert.ok(outcome.gasUsed < 4_200_000n, `${outcome.gasUsed} gas`)
    })

    it("requires a validator's block key and a signature for this chain", async () => {
      const nobody = `UnknownValidator(0x${'00'.repeat(20)})`
      assert.equal((await report(makePayload(BLOCK), { key: SIGNER })).reverted, nobody)
      assert.equal((await report(makePayload(BLOCK), { key: validatorKey(5) })).reverted, nobody)
      assert.equal((await report(makePayload(BLOCK), { chainId: 902n })).reverted, nobody)
    })

    it('rejects payloads of an unknown form', async () => {
      const block = makePayload(BLOCK)
      const cases: readonly [string, (raw: Uint8Array) => Uint8Array][] = [
        ['too short', (raw) => raw.slice(0, 559)],
        ['version', (raw) => raw.slice(32)],
        ['no transactions', (raw) => raw.slice(0, 593)],
        ['no deposit at the start', (raw) => raw.fill(2, raw.length - 300)],
        ['no transactions', (raw) => raw.fill(0xff, 536, 540)],
        ['no deposit at the start', (raw) => raw.slice(0, 620)],
      ]
      for (const [reason, change] of cases) {
        assert.equal((await report(block, { change: (raw) => change(raw.slice()) })).reverted, `NoSignedBlock(${reason})`)
      }
      const empty = { ...block, payload: { ...block.payload, transactions: [] } }
      assert.equal((await report(empty)).reverted, 'NoSignedBlock(no transactions)')
    })
  })
}
