import assert from 'node:assert/strict'
import {
  createChainAccount,
  createHttpRpcClient,
  createLocalSigner,
  createTransactionJournal,
  createTransactionManager,
  type TransactionManager,
} from '@keelson/client'
import {
  type Address,
  type Bytes32,
  createPureCrypto,
  keccak256,
  l2Time,
  type SyncStatus,
  toAddress,
  toHash,
  utf8ToBytes,
} from '@keelson/primitives'
import {
  createManualClock,
  createMemoryStore,
  createMetrics,
  createSeededRandom,
  type KeyValueStore,
  type ManualClock,
  Secret,
} from '@keelson/runtime'
import {
  createDutyLoop,
  createGuardedSigner,
  createLocalValidatorSigner,
  createSlashingProtection,
  createStakingChain,
  type DutyLoop,
  initialiseProtectionStore,
  type SlashingProtection,
  unpaidSilenceWei,
} from '@keelson/validator'
import type { Hex } from 'viem'
import { CONTRACT_CHAINS, type ContractChain } from '../support/contract-chain.ts'
import { eventually } from '../support/eventually.ts'
import { SILENT_LOG } from '../support/execution-world.ts'
import { BLOCK_HASHES, deployStaking, type StakingWorld, validatorKey } from '../support/staking-contract.ts'

const OWNER = 1
const STAKE = 20_000n
const PAYER = 'keelson test account 5'
/** Runtime code of the EIP-2935 contract. */
const HISTORY_CODE: Hex =
  '0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500'
const crypto = createPureCrypto()
const secret = (text: string) => new Secret(keccak256(utf8ToBytes(text)) as Bytes32)
const settle = () => new Promise((resolve) => setImmediate(resolve))

const noBlobs = async (): Promise<never> => assert.fail('no blobs are sent')

interface Machine {
  readonly loop: DutyLoop
  readonly manager: TransactionManager
  readonly protection: SlashingProtection
}

describe('the duty loop on the contract Staking', () => {
  let chain: ContractChain
  let world: StakingWorld
  let clock: ManualClock
  before(async () => {
    const own = CONTRACT_CHAINS.find(({ name }) => name === 'keelson')
    chain = (await own?.open([{ address: BLOCK_HASHES, code: HISTORY_CODE }])) as ContractChain
    clock = createManualClock(chain.nowSec() * 1000)
  })
  after(() => chain.stop())
  beforeEach(async () => {
    world = await deployStaking(chain)
    await world.send(OWNER, 'fund', [], 10_000n)
  })

  const address = () => toAddress(world.address)
  const url = () => (chain.reader.transport as unknown as { url: string }).url
  async function ref(number: number) {
    const block = await chain.reader.getBlock({ blockNumber: BigInt(number) })
    const l1Origin = { number: 7, hash: toHash(`0x${'77'.repeat(32)}`) }
    return {
      number,
      hash: toHash(block.hash as Hex),
      parentHash: toHash(block.parentHash),
      timestampSec: l2Time(Number(block.timestamp)),
      l1Origin,
      sequenceNumber: 0,
    }
  }

  async function openMachine(keys: readonly number[], store: KeyValueStore = createMemoryStore()): Promise<Machine> {
    const rpc = createHttpRpcClient({ url: url() }, { clock, random: createSeededRandom(1), log: SILENT_LOG })
    const payer = createLocalSigner(secret(PAYER), crypto)
    const metrics = createMetrics('validator')
    const manager = createTransactionManager(
      { chainId: 901n, confirmations: 1, pollIntervalMs: 500, resubmitAfterMs: 8_000, maxCostWei: 10n ** 18n },
      {
        account: createChainAccount('L2', rpc, payer.address),
        signer: payer,
        journal: createTransactionJournal(createMemoryStore(), 901n, payer.address),
        kzg: { blobToCommitment: noBlobs, blobProof: noBlobs },
        crypto,
        clock,
        log: SILENT_LOG,
      },
    )
    await initialiseProtectionStore(store, clock)
    const protection = createSlashingProtection(store, { clock })
    const signers = keys.map((number) => createLocalValidatorSigner(secret(`keelson test validator ${number}`), crypto))
    for (const signer of signers) await protection.beginKey(signer.address)
    const loop = createDutyLoop(
      { chainId: 901n, blockTimeSec: 2, pollIntervalMs: 1_000, doppelgangerEpochs: 0, maxHeadAgeSec: 60, slashingsKnownUntil: 0 },
      {
        chain: { ...createStakingChain(rpc, address()), finalizedNumber: async () => Math.max(0, chain.height() - 3) },
        rollup: {
          syncStatus: async () => ({ finalizedL2: await ref(Math.max(0, chain.height() - 3)) }) as SyncStatus,
          outputAtBlock: async (at) => ({ block: await ref(at as number) }) as never,
        },
        gossip: { publishAttestation: async () => 'accepted', attestations: async () => [] },
        signers: signers.map((signer) => createGuardedSigner(signer, protection)),
        protection,
        sender: manager,
        clock,
        random: createSeededRandom(1),
        log: SILENT_LOG,
        metrics,
      },
    )
    return { loop, manager, protection }
  }

  async function beat({ loop, manager }: Machine): Promise<readonly string[]> {
    const nowMs = chain.nowSec() * 1000
    if (nowMs > clock.nowMs()) await clock.advanceTo(nowMs)
    const step = await loop.step()
    assert.equal(step.kind, 'looked')
    await eventually('its transactions are in the pool', async () => {
      const nonce = (blockTag: 'latest' | 'pending') => chain.reader.getTransactionCount({ address: manager.address, blockTag })
      return (await nonce('pending')) - (await nonce('latest')) === manager.pendingCount
    })
    await chain.mine(1)
    await manager.step()
    await settle()
    return step.kind === 'looked' ? step.keys.map(({ state }) => state) : []
  }
  async function beatUntil(machine: Machine, block: number): Promise<void> {
    while (chain.height() < block) await beat(machine)
  }
  const attested = async (since: number) => {
    const logs = await chain.reader.getContractEvents({
      address: world.address,
      abi: [
        {
          type: 'event',
          name: 'Attested',
          inputs: [
            { name: 'validator', type: 'address', indexed: true },
            { name: 'epoch', type: 'uint256', indexed: true },
            { name: 'checkpointNumber', type: 'uint256' },
            { name: 'checkpointHash', type: 'bytes32' },
            { name: 'weight', type: 'uint256' },
            { name: 'lateBlocks', type: 'uint256' },
            { name: 'l1OriginNumber', type: 'uint256' },
            { name: 'l1OriginHash', type: 'bytes32' },
            { name: 'signature', type: 'bytes' },
          ],
        },
      ] as const,
      fromBlock: BigInt(since),
    })
    return logs.map(({ args }) => ({
      key: (args.validator as string).toLowerCase() as Address,
      epoch: Number(args.epoch),
      late: Number(args.lateBlocks),
    }))
  }
  const keyOf = (number: number) => validatorKey(number).address.toLowerCase() as Address

  it('attests with two keys in every epoch one block after the slot, and earns the whole reward', async () => {
    for (const number of [1, 2]) assert.equal((await world.register(OWNER, validatorKey(number), STAKE)).reverted, null)
    const machine = await openMachine([1, 2])
    const first = world.epoch() + 1
    await beatUntil(machine, (first + 3) * 10 - 1)
    const seen = await attested(0)
    assert.deepEqual(
      seen.map(({ key, epoch }) => `${epoch} ${key}`).sort(),
      [first, first + 1, first + 2].flatMap((epoch) => [1, 2].map((number) => `${epoch} ${keyOf(number)}`)).sort(),
    )
    for (const { late } of seen) assert.ok(late <= 1, `${late} blocks late`)
    await world.approachEpoch(first + 3, 1)
    for (const number of [1, 2]) await world.send(OWNER, 'settle', [validatorKey(number).address])
    const rewards = await Promise.all(
      [1, 2].map(async (number) => (await world.read('getValidator', [validatorKey(number).address])).rewards),
    )
    assert.deepEqual(rewards, [105n, 105n])
    assert.equal(await world.read('rewardsReleased'), 3n * 70n)
  })

  it('continues after a restart, and signs nothing in the epoch in which it started', async () => {
    await world.register(OWNER, validatorKey(1), STAKE)
    const store = createMemoryStore()
    const before = await openMachine([1], store)
    const first = world.epoch() + 1
    await beatUntil(before, first * 10 + 3)
    const again = await openMachine([1], store)
    await beatUntil(again, (first + 2) * 10 - 1)
    assert.deepEqual(
      (await attested(0)).map(({ epoch }) => epoch).filter((epoch) => epoch >= first),
      [first, first + 1],
    )
  })

  it('reports the penalty for silence that the contract takes', async () => {
    await world.register(OWNER, validatorKey(1), 2n * STAKE)
    await world.register(OWNER, validatorKey(2), STAKE)
    const machine = await openMachine([1])
    const first = world.epoch() + 1
    await beatUntil(machine, (first + 7) * 10 + 2)
    const rpc = createHttpRpcClient({ url: url() }, { clock, random: createSeededRandom(1), log: SILENT_LOG })
    const staking = createStakingChain(rpc, address())
    const { keys } = await staking.positions([keyOf(2)], chain.height(), first + 7)
    const [silent] = keys
    assert.ok(silent !== undefined && silent.silentEpochs >= 6)
    const priceWei = unpaidSilenceWei(silent, await staking.terms())
    assert.ok(priceWei > 0n)
    await world.send(OWNER, 'settle', [validatorKey(2).address])
    assert.equal((await world.read('getValidator', [validatorKey(2).address])).stake, STAKE - priceWei)
  })

  it('stops all its keys permanently when one is slashed', async () => {
    for (const number of [1, 2]) await world.register(OWNER, validatorKey(number), STAKE)
    const store = createMemoryStore()
    const machine = await openMachine([1, 2], store)
    const first = world.epoch() + 1
    await beatUntil(machine, first * 10 + 4)
    const hash = (await ref(3)).hash
    const signed = await Promise.all(
      [1n, 2n].map((l1OriginNumber) => world.sign(validatorKey(2), first, { checkpointNumber: 3n, checkpointHash: hash, l1OriginNumber })),
    )
    const report = signed.flatMap(({ attestation, signature }) => [attestation, signature])
    assert.equal((await world.send(OWNER, 'reportDoubleAttestation', report)).reverted, null)
    await assert.rejects(machine.loop.step(), { code: 'consensus/slashed', message: new RegExp(keyOf(2)) })
    const again = await openMachine([1, 2], store)
    await assert.rejects(again.loop.step(), { code: 'consensus/slashed' })
    await chain.mine(10)
    const sent = (await attested(0)).filter(({ epoch }) => epoch > first)
    assert.deepEqual(sent, [])
  })
})
