import assert from 'node:assert/strict'
import { ClientError, createContractReader, createHttpRpcClient, type TransactionManager } from '@keelson/client'
import type { Offences, SignedAttestation } from '@keelson/contracts'
import {
  bytesToHex,
  createPureCrypto,
  encodeSignedPart,
  type Hash,
  hexToBytes,
  type PayloadEnvelope,
  toAddress,
  toHash,
  ZERO_HASH,
} from '@keelson/primitives'
import { createManualClock, createMemoryStore, createMetrics, createSeededRandom, createSystemClock } from '@keelson/runtime'
import { createAttestedFeed, createOffenceChain, createOffenceWatcher } from '@keelson/validator'
import { decodeFunctionData, type Hex, parseSignature } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { type AttestationService, createAttestationService } from '../../packages/consensus/src/p2p/attestations/attestation-service.ts'
import { blockSigningDigest } from '../../packages/primitives/src/op/block-message.ts'
import { CONTRACT_CHAINS, type ContractChain } from '../support/contract-chain.ts'
import { makePayload, type PayloadRequest } from '../support/payloads.ts'
import { createRecordingLogger } from '../support/recording-logger.ts'
import {
  type Attestation,
  deployStaking,
  NUMBER_HASHES,
  SERVED_BLOCKS,
  type StakingWorld,
  stakingAbi,
  validatorKey,
} from '../support/staking-contract.ts'

const STAKE = 1_000_000n
const REPORTER = 4
const OTHER_REPORTER = 5
const KEYS = [validatorKey(1), validatorKey(2), validatorKey(3)] as const
const [CHEAT] = KEYS
const BLOCK_KEY = validatorKey(1, 'block key')
const NONE: Offences = { doubleAttestations: [], invalidAttestations: [], doubleBlocks: [] }
const WRONG: Partial<Attestation> = { checkpointHash: `0x${'ee'.repeat(32)}` }

describe('the offence watcher', () => {
  let chain: ContractChain
  let world: StakingWorld
  let seen: Offences
  before(async () => {
    const own = CONTRACT_CHAINS.find(({ name }) => name === 'keelson')
    assert.ok(own !== undefined)
    chain = await own.open([NUMBER_HASHES])
  })
  after(() => chain.stop())
  beforeEach(async () => {
    seen = NONE
    world = await deployStaking(chain)
    for (const [index, key] of KEYS.entries()) {
      const outcome = await world.register(index + 1, key, STAKE, index === 0 ? BLOCK_KEY : undefined)
      assert.equal(outcome.reverted, null)
    }
    await world.approachEpoch(world.epoch() + 1, 1)
  })

  function sender(
    from: number,
    first: (data: Uint8Array) => Promise<void> = async () => undefined,
    gasOf?: (data: Uint8Array, spareGas: bigint) => Promise<bigint>,
  ): Pick<TransactionManager, 'send' | 'recover'> {
    return {
      recover: async () => [],
      async send({ data, spareGas = 0n }) {
        await first(data)
        const { functionName, args } = decodeFunctionData({ abi: stakingAbi, data: bytesToHex(data) as Hex })
        const call = { from, to: world.address, abi: stakingAbi, name: functionName, args: args as readonly unknown[] }
        const outcome = await chain.send({ ...call, ...(gasOf !== undefined && { gas: await gasOf(data, spareGas) }) })
        return {
          transactionHash: ZERO_HASH,
          blockHash: ZERO_HASH,
          blockNumber: chain.height(),
          succeeded: outcome.reverted === null,
          gasUsed: outcome.gasUsed,
          effectiveGasPriceWei: 1n,
          blobGasUsed: 0n,
          blobGasPriceWei: 0n,
        }
      },
    }
  }

  function estimatingSender(from: number): Pick<TransactionManager, 'send' | 'recover'> {
    return sender(
      from,
      async () => undefined,
      async (data, spareGas) => {
        const account = chain.accounts[from] as PrivateKeyAccount
        const gas = await chain.reader.estimateGas({ account: account.address, to: world.address, data: bytesToHex(data) as Hex })
        return gas + gas / 10n + spareGas
      },
    )
  }

  function newWatcher(
    options: {
      from?: number
      sender?: Pick<TransactionManager, 'send' | 'recover'>
      maxDelayMs?: number
      perHour?: number
      service?: AttestationService
    } = {},
  ) {
    const clock = createManualClock(1_800_000_000_000)
    const log = createRecordingLogger()
    const metrics = createMetrics('test')
    const from = options.from ?? REPORTER
    const { url } = chain.reader.transport as unknown as { url: string }
    const rpc = createHttpRpcClient({ url }, { clock: createSystemClock(), random: createSeededRandom(1), log })
    const contract = toAddress(world.address)
    const watcher = createOffenceWatcher(
      { contract, pollIntervalMs: 1_000, maxDelayMs: options.maxDelayMs ?? 0, maxReportsPerHour: options.perHour ?? 60 },
      {
        offences: options.service ?? { offences: async () => seen },
        chain: createOffenceChain(rpc, contract, toAddress(chain.accounts[from]?.address ?? '')),
        attested:
          options.service === undefined
            ? { passOn: async () => undefined }
            : createAttestedFeed({ rpc, contract, gossip: options.service, log }),
        sender: options.sender ?? sender(from),
        clock,
        random: createSeededRandom(2),
        log,
        metrics,
      },
    )
    const outcomes = async () => (await watcher.step()).map(({ outcome }) => outcome)
    return { watcher, outcomes, clock, log, text: async () => (await metrics.render()).text }
  }

  async function signed(key: PrivateKeyAccount, epoch: number, changes: Partial<Attestation> = {}): Promise<SignedAttestation> {
    const { attestation, signature } = await world.sign(key, epoch, changes)
    return {
      attestation: {
        epoch: Number(attestation.epoch),
        checkpointNumber: Number(attestation.checkpointNumber),
        checkpointHash: toHash(attestation.checkpointHash),
        l1OriginNumber: Number(attestation.l1OriginNumber),
        l1OriginHash: toHash(attestation.l1OriginHash),
      },
      signature: hexToBytes(signature),
    }
  }
  async function twice(key: PrivateKeyAccount): Promise<Offences> {
    const epoch = world.epoch()
    const [first, second] = [await signed(key, epoch), await signed(key, epoch, { l1OriginNumber: 6n })]
    return { ...NONE, doubleAttestations: [{ validator: toAddress(key.address), epoch, first, second }] }
  }
  async function wrong(...keys: readonly PrivateKeyAccount[]): Promise<Offences> {
    const invalid = []
    for (const key of keys) {
      invalid.push({ validator: toAddress(key.address), actualHash: ZERO_HASH, ...(await signed(key, world.epoch(), WRONG)) })
    }
    return { ...NONE, invalidAttestations: invalid }
  }
  async function signBlock(envelope: PayloadEnvelope) {
    const signedPart = encodeSignedPart(envelope)
    const { r, s, yParity } = parseSignature(await BLOCK_KEY.sign({ hash: bytesToHex(blockSigningDigest(901n, signedPart)) }))
    return { blockHash: envelope.payload.blockHash, signedPart, signature: hexToBytes(`${r}${s.slice(2)}0${yParity}`) }
  }
  async function followAttestations(): Promise<AttestationService> {
    const { url } = chain.reader.transport as unknown as { url: string }
    const log = createRecordingLogger()
    const rpc = createHttpRpcClient({ url }, { clock: createSystemClock(), random: createSeededRandom(1), log })
    const service = createAttestationService(
      { chainId: 901n, blockTimeMs: 2_000, contract: toAddress(world.address) },
      {
        reader: createContractReader(rpc),
        heads: () => ({ unsafe: chain.height(), safe: chain.height(), finalized: 0 }),
        gossip: { attestations: { open: () => undefined, publish: async () => undefined }, onSignedBlock: () => undefined },
        store: createMemoryStore(),
        crypto: createPureCrypto(),
        clock: createManualClock(1_800_000_000_000),
        log,
        metrics: createMetrics('attestations'),
      },
    )
    await service.step()
    return service
  }
  const slashed = async (): Promise<bigint> => ((await world.read('accounts')) as readonly bigint[])[4] as bigint

  it('reports two attestations for one epoch once, and a second watcher or a restart finds it done', async () => {
    seen = await twice(CHEAT)
    const first = newWatcher()
    assert.deepEqual(await first.outcomes(), ['reported'])
    assert.equal(await slashed(), STAKE)
    const height = chain.height()
    assert.deepEqual(await first.outcomes(), [])
    assert.deepEqual(await newWatcher({ from: OTHER_REPORTER }).outcomes(), ['known'])
    assert.equal(chain.height(), height, 'nothing more was spent')
    assert.match(await first.text(), /offence_reports_total\{kind="double-attestation",outcome="reported"\} 1/)
  })

  it('reports invalid attestations, and settles their cost after the evidence deadline', async () => {
    seen = await wrong(CHEAT, KEYS[1])
    const epoch = world.epoch()
    assert.deepEqual(await newWatcher().outcomes(), ['reported', 'reported'])
    // The first penalty's increase, for an erring share that has grown to two thirds, is not charged yet.
    const before = await slashed()
    seen = NONE
    const later = newWatcher()
    assert.deepEqual(await later.outcomes(), [], 'not before its time')
    await world.approach(epoch * 10 + 40 + 1)
    assert.deepEqual(await later.outcomes(), [], 'gas is estimated on the head, where evidence is still taken')
    await world.approach(epoch * 10 + 40 + 2)
    assert.deepEqual(await later.outcomes(), ['reported', 'reported'])
    // Each of the two pays 1% plus 9% of two thirds.
    assert.equal(await slashed(), 2n * 70_000n)
    assert.ok((await slashed()) > before)
    assert.deepEqual(await later.outcomes(), [])
    assert.deepEqual(await newWatcher({ from: OTHER_REPORTER }).outcomes(), [], 'closed prices are nothing to do')
  })

  it('reports two signed blocks one after the other, and continues where another watcher stopped', async () => {
    const place: PayloadRequest = {
      number: 7,
      parentHash: toHash(`0x${'0a'.repeat(32)}`),
      timestampSec: 1_800_000_014,
      l1Origin: { number: 3, hash: toHash(`0x${'0b'.repeat(32)}`) },
      sequenceNumber: 1,
    }
    const blocks = [makePayload(place), makePayload({ ...place, transactions: [Uint8Array.of(2, 0xc0)] })]
    const [first, second] = [await signBlock(blocks[0] as PayloadEnvelope), await signBlock(blocks[1] as PayloadEnvelope)]
    const sourceHash: Hash = ZERO_HASH
    seen = {
      ...NONE,
      doubleBlocks: [{ blockKey: toAddress(BLOCK_KEY.address), number: 7, parentHash: place.parentHash, sourceHash, first, second }],
    }
    const half = newWatcher({ perHour: 1 })
    assert.deepEqual(await half.outcomes(), ['reported'])
    assert.match(half.watcher.trouble()?.reason ?? '', /1 reports within an hour/)
    assert.equal(await slashed(), 0n)
    assert.deepEqual(await newWatcher({ from: OTHER_REPORTER }).outcomes(), ['known', 'reported'])
    assert.equal(await slashed(), STAKE)
    await half.clock.advance(3_600_000)
    assert.deepEqual(await half.outcomes(), ['known'])
  })

  it('pays for one of many pairs of a key, also after a random delay and with a second watcher', async () => {
    const places = await Promise.all(
      [7, 8, 9, 10].map(async (number) => {
        const place: PayloadRequest = {
          number,
          parentHash: toHash(`0x${'0a'.repeat(32)}`),
          timestampSec: 1_800_000_000 + 2 * number,
          l1Origin: { number: 3, hash: toHash(`0x${'0b'.repeat(32)}`) },
          sequenceNumber: 1,
        }
        const blocks = [makePayload(place), makePayload({ ...place, transactions: [Uint8Array.of(2, 0xc0)] })]
        const [first, second] = await Promise.all(blocks.map(signBlock))
        assert.ok(first !== undefined && second !== undefined)
        return { blockKey: toAddress(BLOCK_KEY.address), number, parentHash: place.parentHash, sourceHash: ZERO_HASH, first, second }
      }),
    )
    seen = { ...NONE, doubleBlocks: places }
    const watchers = [newWatcher({ maxDelayMs: 8_000 }), newWatcher({ maxDelayMs: 8_000, from: OTHER_REPORTER })]
    const outcomes: string[] = []
    for (let look = 0; look < 10; look++) {
      for (const { outcomes: step, clock } of watchers) {
        outcomes.push(...(await step()))
        await clock.advance(1_000)
      }
    }
    assert.equal(outcomes.filter((outcome) => outcome === 'reported').length, 2)
    assert.deepEqual([...new Set(outcomes)].sort(), ['known', 'reported'])
    assert.equal(await slashed(), STAKE)
  })

  it('finds a validator that attests to A on chain and to B in gossip', async () => {
    const epoch = world.epoch()
    const onChain = await world.sign(CHEAT, epoch)
    assert.equal((await world.attest(onChain)).reverted, null)
    const service = await followAttestations()
    assert.equal(await service.publishAttestation(await signed(CHEAT, epoch, { checkpointNumber: BigInt(epoch * 10 - 2) })), 'accepted')
    assert.deepEqual((await service.offences()).doubleAttestations, [], 'gossip alone shows one attestation')
    const watcher = newWatcher({ service })
    assert.deepEqual(await watcher.outcomes(), ['reported'])
    assert.equal(await slashed(), STAKE)
    assert.deepEqual(await watcher.outcomes(), [])
  })

  it('finds nothing when an attestation on chain also is in gossip, or is not', async () => {
    const epoch = world.epoch()
    const service = await followAttestations()
    for (const [index, key] of KEYS.entries()) {
      assert.equal((await world.attest(await world.sign(key, epoch))).reverted, null)
      if (index > 0) await service.publishAttestation(await signed(key, epoch))
    }
    const watcher = newWatcher({ service })
    assert.deepEqual(await watcher.outcomes(), [])
    assert.equal((await service.attestations(epoch)).length, KEYS.length)
    assert.equal(watcher.watcher.trouble(), null)
    assert.equal(await slashed(), 0n)
  })

  it('loses only a fee when another watcher is slightly earlier', async () => {
    seen = await wrong(CHEAT)
    const quicker = newWatcher({ from: OTHER_REPORTER })
    const slower = newWatcher({
      sender: sender(REPORTER, async () => {
        assert.deepEqual(await quicker.outcomes(), ['reported'])
      }),
    })
    assert.deepEqual(await slower.outcomes(), ['lost'])
    assert.deepEqual(await slower.outcomes(), [])
    assert.equal(await slashed(), (STAKE * (100n + 300n)) / 10_000n, 'one of three erred: 4 %, once')
  })

  for (const [offence, seenOf] of Object.entries({ twice, wrong })) {
    it(`gets its report included when an epoch ends between the gas estimate and the block: attested ${offence}`, async () => {
      seen = await seenOf(CHEAT)
      const epoch = world.epoch()
      for (const key of KEYS) assert.equal((await world.attest(await world.sign(key, epoch))).reverted, null)
      await world.approachEpoch(epoch + 1)
      const watcher = newWatcher({ sender: estimatingSender(REPORTER) })
      assert.deepEqual(await watcher.outcomes(), ['reported'])
      assert.ok((await slashed()) > 0n)
    })
  }

  it('waits a random time, and does not pay for a report that another made meanwhile', async () => {
    seen = await twice(CHEAT)
    const patient = newWatcher({ maxDelayMs: 10_000 })
    assert.deepEqual(await patient.outcomes(), [])
    await newWatcher({ from: OTHER_REPORTER }).outcomes()
    await patient.clock.advance(10_000)
    assert.deepEqual(await patient.outcomes(), ['known'])
  })

  it('logs once why the contract does not accept evidence', async () => {
    const { doubleAttestations } = await twice(validatorKey(9))
    seen = { ...(await wrong(CHEAT)), doubleAttestations }
    await world.approach((world.epoch() + 1) * 10 + 41)
    const { outcomes, log } = newWatcher()
    assert.deepEqual(await outcomes(), ['too-late', 'refused'])
    assert.equal(log.matching('no validator').length + log.matching('evidence for this epoch was accepted until').length, 2)
    assert.deepEqual(await outcomes(), [])
    assert.equal(await slashed(), 0n)
    assert.ok(SERVED_BLOCKS > 60, 'the checkpoint is still served: what is too late is the evidence')
  })

  it('retries a failed submission, and logs the obstacle', async () => {
    seen = await twice(CHEAT)
    let funded = false
    const poor = newWatcher({
      sender: sender(REPORTER, async () => {
        if (!funded) throw new ClientError('client/insufficient-funds', 'temporary', 'the account cannot pay')
      }),
    })
    assert.deepEqual(await poor.outcomes(), [])
    assert.match(poor.watcher.trouble()?.reason ?? '', /cannot pay/)
    funded = true
    assert.deepEqual(await poor.outcomes(), [], 'not at once')
    assert.match(poor.watcher.trouble()?.reason ?? '', /cannot pay/)
    await poor.clock.advance(1_000)
    assert.deepEqual(await poor.outcomes(), ['reported'])
    assert.equal(poor.watcher.trouble(), null)
  })

  it('does not resend a pending report of an earlier run', async () => {
    seen = await twice(CHEAT)
    const epoch = seen.doubleAttestations[0]?.epoch
    let mined: () => void = () => undefined
    const receipt = new Promise<never>((_, reject) => {
      mined = () => reject(new ClientError('client/stopped', 'temporary', 'gone'))
    })
    const label = `double-attestation ${epoch} ${toAddress(CHEAT.address)}`
    const again = newWatcher({ sender: { ...sender(REPORTER), recover: async () => [{ label, nonce: 0n, receipt }] } })
    assert.deepEqual(await again.outcomes(), [])
    mined()
    await receipt.catch(() => undefined)
    assert.deepEqual(await again.outcomes(), ['reported'])
  })
})
