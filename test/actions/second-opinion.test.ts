import assert from 'node:assert/strict'
import { FORKS, type Fork, forksAtGenesis } from '@keelson/chainspec'
import {
  type Address,
  type Block,
  bigintToBytes,
  concatBytes,
  createPureCrypto,
  encodeDeposit,
  encodePostExecPayload,
  hexToBytes,
  L1_BLOCK,
  postExecTransaction,
  type RlpInput,
  rlpDecode,
  rlpEncode,
  TX_ACCESS_LIST,
  TX_DEPOSIT,
  TX_FEE_MARKET,
  TX_LEGACY,
  TX_POST_EXEC,
  toAddress,
} from '@keelson/primitives'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'
import { type JudgedInput, secondOpinion } from '../support/second-opinion.ts'
import { syncKzg } from '../support/sync-kzg.ts'
import { createTestEngine } from '../support/test-engine.ts'

const WRITER = toAddress('0x00000000000000000000000000000000000ec005')
const DOOMED = toAddress('0x00000000000000000000000000000000000ec006')
const HISTORIAN = toAddress('0x00000000000000000000000000000000000ec007')
const FAILING = toAddress('0x00000000000000000000000000000000000ec008')
const CODES: readonly (readonly [Address, string])[] = [
  // sstore(word 0, word 1); log1(0, 32, word 0)
  [WRITER, '0x6020356000355560003560206000a100'],
  // selfdestruct(caller)
  [DOOMED, '0x33ff'],
  // sstore(0, blockhash(word 0))
  [HISTORIAN, '0x6000354060005500'],
  // sstore(1, 1); revert(0, 0)
  [FAILING, '0x600160015560006000fd'],
]
const CREATION = hexToBytes('0x60016000f3')
const SLOTS = 40
const GWEI = 1_000_000_000n

const word = (value: number | bigint) => bigintToBytes(BigInt(value), 32)

function l1Block(fork: Fork) {
  const scalars = concatBytes(new Uint8Array(16), bigintToBytes(1_368n, 4), bigintToBytes(810_949n, 4), new Uint8Array(8))
  const operator = concatBytes(new Uint8Array(18), bigintToBytes(400n, 2), bigintToBytes(2_000n, 4), bigintToBytes(77n, 8))
  const storage = [
    [word(1), word(GWEI)],
    [word(3), scalars],
    [word(5), word(188)],
    [word(6), word(684_000)],
    [word(7), word(3)],
    [word(8), operator],
  ] as const
  return {
    address: L1_BLOCK,
    nonce: 1n,
    balanceWei: 0n,
    code: Uint8Array.of(0),
    storage: fork === 'bedrock' ? storage.slice(0, 4) : storage,
  }
}

async function openWorld(fork: Fork): Promise<ExecutionWorld> {
  const contracts = CODES.map(([address, code]) => ({
    address,
    nonce: 1n,
    balanceWei: 5n,
    code: hexToBytes(code as `0x${string}`),
    storage: Array.from({ length: address === FAILING ? 0 : SLOTS }, (_, i) => [word(i + 10), word(i + 1)] as const),
  }))
  return createExecutionWorld({ forks: forksAtGenesis(fork), alloc: [...contracts, l1Block(fork)] })
}

function sender(world: ExecutionWorld) {
  let nonce = 0n
  const common = () => ({ chainId: world.chainId, nonce: nonce++, gasLimit: 200_000n, valueWei: 0n })
  return {
    feeMarket: (to: string | null, data: Uint8Array) => {
      const target = to === null ? null : hexToBytes(to as `0x${string}`)
      const fees = { maxPriorityFeePerGasWei: 1n, maxFeePerGasWei: 5n * GWEI }
      return world.sign(0, { ...common(), ...fees, type: TX_FEE_MARKET, to: target, data, accessList: [] }).raw
    },
    legacy: (to: string, valueWei: bigint) => {
      const target = hexToBytes(to as `0x${string}`)
      return world.sign(0, { ...common(), type: TX_LEGACY, to: target, valueWei, data: new Uint8Array(0), gasPriceWei: 2n * GWEI }).raw
    },
    accessList: (to: string, data: Uint8Array, slots: readonly Uint8Array[]) => {
      const target = hexToBytes(to as `0x${string}`)
      const accessList = [{ address: target, slots: [...slots] }]
      return world.sign(0, { ...common(), type: TX_ACCESS_LIST, to: target, data, accessList, gasPriceWei: 2n * GWEI }).raw
    },
  }
}

function deposit(
  index: number,
  to: string | null,
  changes: { valueWei?: bigint; mintWei?: bigint; gasLimit?: bigint; data?: Uint8Array } = {},
) {
  return encodeDeposit({
    type: TX_DEPOSIT,
    sourceHash: word(index),
    from: hexToBytes('0x00000000000000000000000000000000000dee01'),
    to: to === null ? null : hexToBytes(to as `0x${string}`),
    mintWei: changes.mintWei ?? 0n,
    valueWei: changes.valueWei ?? 0n,
    gasLimit: changes.gasLimit ?? 100_000n,
    isSystemTx: false,
    data: changes.data ?? new Uint8Array(0),
  }).raw
}

async function mineBlocks(world: ExecutionWorld): Promise<Block[]> {
  const tx = sender(world)
  const write = (slot: number, value: number) => tx.feeMarket(WRITER, concatBytes(word(slot), word(value)))
  const cleared = Array.from({ length: SLOTS }, (_, i) => i + 10)
  return [
    await world.mine(),
    await world.mine({
      transactions: [
        deposit(1, '0x00000000000000000000000000000000000dee02', { mintWei: 9n, valueWei: 4n }),
        deposit(2, WRITER, { data: concatBytes(word(10), word(0)) }),
        deposit(3, FAILING, { mintWei: 1n }),
        deposit(4, WRITER, { valueWei: 10n ** 30n }),
        deposit(5, WRITER, { gasLimit: 20_999n }),
        deposit(6, null, { data: CREATION }),
        tx.legacy('0x00000000000000000000000000000000000dee03', 12n),
        tx.accessList(WRITER, concatBytes(word(11), word(0)), [word(11), word(12)]),
        tx.feeMarket(null, CREATION),
        tx.feeMarket(DOOMED, new Uint8Array(0)),
        tx.feeMarket(HISTORIAN, word(0)),
        tx.feeMarket(FAILING, new Uint8Array(0)),
        write(1_000, 7),
      ],
    }),
    await world.mine({ transactions: cleared.map((slot) => write(slot, 0)) }),
    await world.mine({ transactions: [write(1_000, 0), write(3_000, 1), tx.feeMarket(DOOMED, new Uint8Array(0))] }),
  ]
}

function withHeaderField(position: number, value: RlpInput) {
  return ({ block, witness }: JudgedInput): JudgedInput => {
    const [header, ...body] = rlpDecode(block) as readonly RlpInput[]
    return { block: rlpEncode([(header as readonly RlpInput[]).with(position, value), ...body]), witness }
  }
}

describe('a second opinion on a block', () => {
  for (const fork of FORKS)
    it(`agrees with our engine on transactions and deposits of every kind at ${fork}`, async () => {
      const world = await openWorld(fork)
      for (const block of await mineBlocks(world)) {
        assert.deepEqual(await secondOpinion(world, block.header.number), { kind: 'agrees' }, `block ${block.header.number}`)
      }
      await world.stop()
    })

  it('agrees with our engine on gas that a block refunds, and rejects a refund that the header does not reckon with', async () => {
    const world = await openWorld('lagoon')
    const tx = sender(world)
    const refunds = [
      { index: 2, gas: 1_000n },
      { index: 3, gas: 21_000n },
    ]
    const postExec = postExecTransaction(encodePostExecPayload({ version: 1, blockNumber: 1n, refunds }))
    const sent = [deposit(1, WRITER), tx.legacy(WRITER, 0n), tx.legacy('0x00000000000000000000000000000000000dee03', 12n)]
    const block = await world.mine({ transactions: [...sent, postExec.raw] })
    assert.equal(block.transactions.at(-1)?.type, TX_POST_EXEC)
    assert.deepEqual(await secondOpinion(world, block.header.number), { kind: 'agrees' })
    const raised = withHeaderField(10, block.header.gasUsed + 1_000n)
    const verdict = await secondOpinion(world, block.header.number, raised)
    assert.equal(verdict.kind, 'differs')
    await world.stop()
  })

  it('needs neither the code behind an EXTCODEHASH nor the slot of an SSTORE that EIP-2200 refuses', async () => {
    const storage = Array.from({ length: SLOTS }, (_, i) => [word(i), word(1)] as const)
    const alloc = [
      // sstore(0, extcodehash(DOOMED))
      { address: HISTORIAN, code: `0x73${DOOMED.slice(2)}3f60005500` },
      { address: DOOMED, code: '0x33ff' },
      // call(0, WRITER, 1, 0, 0, 0, 0)
      { address: FAILING, code: `0x6000600060006000600173${WRITER.slice(2)}6000f100` },
      // sstore(0, 2)
      { address: WRITER, code: '0x600260005500' },
    ].map(({ address, code }) => ({ address, nonce: 1n, balanceWei: 5n, code: hexToBytes(code as `0x${string}`), storage }))
    const world = await createExecutionWorld({ forks: forksAtGenesis('jovian'), alloc })
    const tx = sender(world)
    const block = await world.mine({ transactions: [HISTORIAN, FAILING].map((to) => tx.feeMarket(to, new Uint8Array(0))) })
    assert.deepEqual(await secondOpinion(world, block.header.number), { kind: 'agrees' })
    await world.stop()
  })

  it('names the header field that execution contradicts, and both values', async () => {
    const world = await openWorld('jovian')
    const block = (await mineBlocks(world))[1] as Block
    const wrong = word(5)
    const fields = [
      [3, 'stateRoot', wrong],
      [4, 'transactionsRoot', wrong],
      [5, 'receiptsRoot', wrong],
      [10, 'gasUsed', block.header.gasUsed + 1n],
      [16, 'withdrawalsRoot', wrong],
      [17, 'blobGasUsed', 131_072n],
    ] as const
    for (const [position, field, value] of fields) {
      const verdict = await secondOpinion(world, block.header.number, withHeaderField(position, value))
      assert.ok(verdict.kind === 'differs', `${field}: ${JSON.stringify(verdict)}`)
      assert.deepEqual(
        verdict.differences.map((difference) => difference.field),
        [field],
      )
    }
    await world.stop()
  })

  it('says what a witness lacks, whichever item is missing', async () => {
    const world = await openWorld('jovian')
    const block = (await mineBlocks(world))[1] as Block
    const without = (kind: 'state' | 'codes' | 'headers', index: number) => (input: JudgedInput) => ({
      ...input,
      witness: { ...input.witness, [kind]: input.witness[kind].filter((_, i) => i !== index) },
    })
    const sizes = { state: 0, codes: 0, headers: 0 }
    await secondOpinion(world, block.header.number, (input) => {
      for (const kind of ['state', 'codes', 'headers'] as const) sizes[kind] = input.witness[kind].length
      return input
    })
    for (const kind of ['state', 'codes'] as const) {
      assert.ok(sizes[kind] > 1)
      for (let index = 0; index < sizes[kind]; index++) {
        const verdict = await secondOpinion(world, block.header.number, without(kind, index))
        assert.equal(verdict.kind, 'incomplete', `${kind} ${index}: ${JSON.stringify(verdict)}`)
      }
    }
    const noOldest = await secondOpinion(world, block.header.number, without('headers', 0))
    assert.equal(noOldest.kind, 'incomplete', 'a contract reads the hash of block 0')
    const noParent = await secondOpinion(world, block.header.number, without('headers', sizes.headers - 1))
    assert.equal(noParent.kind, 'invalid', 'the last header is not the parent')
    await world.stop()
  })

  it('rejects header fields that a fork fixes, and a transaction above the gas left in the block', async () => {
    const world = await openWorld('jovian')
    const block = (await mineBlocks(world))[1] as Block
    const cases = [
      [18, 5n, /excess blob gas of 5/],
      [12, Uint8Array.of(0xde, 0xad), /extra data of 2 bytes; expected 17 with version 1/],
      [12, new Uint8Array(200), /extra/i],
      [9, block.header.gasUsed, /gas limit of \d+ is above the \d+ gas left/],
    ] as const
    for (const [position, value, reason] of cases) {
      const verdict = await secondOpinion(world, block.header.number, withHeaderField(position, value))
      assert.ok(verdict.kind === 'invalid' && reason.test(verdict.reason), `${position}: ${JSON.stringify(verdict)}`)
    }
    const noWithdrawals = await secondOpinion(world, block.header.number, ({ block: raw, witness }) => {
      const parts = rlpDecode(raw) as readonly RlpInput[]
      return { block: rlpEncode(parts.slice(0, 3)), witness }
    })
    assert.ok(noWithdrawals.kind === 'invalid' && /withdrawals/.test(noWithdrawals.reason))
    await world.stop()
  })

  it('verifies KZG proofs, and fails rather than judge when the verifier fails', async () => {
    // copies the input, staticcalls the point evaluation precompile with it
    const caller = { address: HISTORIAN, nonce: 1n, balanceWei: 0n, code: hexToBytes('0x365f5f3760405f365f600a5afa5000'), storage: [] }
    const crypto = createPureCrypto()
    const world = await createExecutionWorld({
      forks: forksAtGenesis('jovian'),
      alloc: [caller],
      wrapEngine: () => createTestEngine({ crypto, kzg: syncKzg }),
    })
    // the zero polynomial: commitment and proof are the point at infinity
    const infinity = concatBytes(Uint8Array.of(0xc0), new Uint8Array(47))
    const versionedHash = concatBytes(Uint8Array.of(1), crypto.sha256(infinity).subarray(1))
    const input = concatBytes(versionedHash, word(0), word(0), infinity, infinity)
    await world.mine({ transactions: [sender(world).feeMarket(HISTORIAN, input)] })
    let asked = 0
    const counting: typeof syncKzg = {
      verifyProof(...points) {
        asked++
        return syncKzg.verifyProof(...points)
      },
    }
    assert.deepEqual(await secondOpinion(world, 1, undefined, counting), { kind: 'agrees' })
    assert.equal(asked, 1)
    const broken = {
      verifyProof(): boolean {
        throw new Error('no memory for the trusted setup')
      },
    }
    await assert.rejects(secondOpinion(world, 1, undefined, broken), /no memory for the trusted setup/)
    await world.stop()
  })

  it('calls a block invalid that holds a transaction twice', async () => {
    const world = await openWorld('jovian')
    const block = (await mineBlocks(world))[3] as Block
    const verdict = await secondOpinion(world, block.header.number, ({ block: raw, witness }) => {
      const [header, transactions, ...rest] = rlpDecode(raw) as readonly (readonly RlpInput[])[]
      const list = transactions as readonly RlpInput[]
      return { block: rlpEncode([header as RlpInput, [...list, list.at(-1) as RlpInput], ...rest]), witness }
    })
    assert.ok(verdict.kind === 'invalid' && /nonce/.test(verdict.reason), JSON.stringify(verdict))
    await world.stop()
  })
})
