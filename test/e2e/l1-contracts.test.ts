import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CONFIG_UPDATE_TYPES,
  decodeL2Output,
  encodeDepositEth,
  encodeDepositTransaction,
  encodeGetL2Output,
  encodeProposeL2Output,
  encodeSetGasLimit,
  findTransactionDeposited,
  OUTPUT_ORACLE_CALLS,
  OUTPUT_PROPOSED_TOPIC,
} from '@keelson/contracts'
import { bytesToHex, type Hash, hexToBytes, toAddress, toHash } from '@keelson/primitives'
import { id, JsonRpcProvider, type TransactionReceipt, Wallet } from 'ethers'
import { anvilGenesisArguments } from '../../packages/devnet/src/genesis/devnet/anvil-state.ts'
import type { DevnetGenesis } from '../../packages/devnet/src/genesis/devnet/build-devnet-genesis.ts'
import { DEV_ACCOUNTS, DEV_ROLES, type DevAccount } from '../../packages/devnet/src/genesis/devnet/dev-accounts.ts'
import { l1GenesisHash } from '../../packages/devnet/src/genesis/devnet/devnet-config.ts'
import { loadPrebuiltDevnet } from '../../packages/devnet/src/genesis/devnet/prebuilt-devnet.ts'
import { writeDevnetFiles } from '../../packages/devnet/src/genesis/devnet/write-devnet-files.ts'
import { anvilBinary } from '../../packages/devnet/src/l1/anvil.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'

const GENESIS_TIME = 1_700_000_000
const [alice, bob] = DEV_ACCOUNTS as [DevAccount, DevAccount]

describe('the development L1 genesis on anvil', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-l1-'))
  let genesis: DevnetGenesis
  let anvil: ChildProcess
  let l1: JsonRpcProvider
  let stateFile: string

  async function start(): Promise<void> {
    const port = await freePort()
    const args = ['--host', '127.0.0.1', '--port', String(port), '--no-mining', '--quiet', ...anvilGenesisArguments(genesis)]
    anvil = spawn(anvilBinary(), [...args, '--state', stateFile], { stdio: 'ignore' })
    l1 = new JsonRpcProvider(`http://127.0.0.1:${port}`, Number(genesis.parameters.l1ChainId), { staticNetwork: true, cacheTimeout: -1 })
    await eventually('anvil answers', () => l1.send('eth_chainId', []))
  }
  async function stop(): Promise<void> {
    l1?.destroy()
    if (anvil === undefined || anvil.exitCode !== null) return
    const exited = new Promise((resolve) => anvil.once('exit', resolve))
    anvil.kill('SIGINT')
    await exited
  }
  async function send(from: DevAccount, to: string, data: Uint8Array, value = 0n): Promise<TransactionReceipt> {
    const wallet = new Wallet(from.privateKey, l1)
    const sent = await wallet.sendTransaction({ to, data: bytesToHex(data), value, gasLimit: 1_000_000n })
    await l1.send('evm_mine', [])
    const receipt = await l1.getTransactionReceipt(sent.hash)
    assert.equal(receipt?.status, 1, `transaction to ${to}`)
    return receipt as TransactionReceipt
  }
  const ask = async (to: string, data: Uint8Array) => hexToBytes(await l1.call({ to, data: bytesToHex(data) }))
  const logsAt = (receipt: TransactionReceipt, address: string) => receipt.logs.filter((log) => log.address.toLowerCase() === address)

  before(async () => {
    genesis = loadPrebuiltDevnet(GENESIS_TIME)
    stateFile = writeDevnetFiles(folder, genesis).anvilState
    await start()
  })
  after(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('starts with the block hash that was computed before anvil ran', async () => {
    assert.equal((await l1.getBlock(0))?.hash, l1GenesisHash(genesis))
    assert.equal(await l1.getBalance(DEV_ROLES.batcher.address), genesis.parameters.fundingWei)
  })

  it('accepts deposits at the portal and the bridge and emits both', async () => {
    const { OptimismPortal: portal, L1StandardBridge: bridge } = genesis.addresses
    const data = encodeDepositTransaction({ to: bob.address, valueWei: 5n, gasLimit: 100_000n, isCreation: false, data: new Uint8Array(0) })
    const direct = await send(alice, portal, data, 7n)
    const deposits = [direct, await send(alice, bridge, encodeDepositEth(200_000n), 9n)].map((receipt) => {
      const [log] = logsAt(receipt, portal)
      assert.ok(log)
      return findTransactionDeposited({ address: toAddress(portal), topics: log.topics as Hash[], data: hexToBytes(log.data) })
    })
    assert.equal(deposits[0]?.from, alice.address)
    assert.deepEqual([deposits[0]?.to, deposits[0]?.mintWei, deposits[0]?.valueWei], [bob.address, 7n, 5n])
    // The messenger is a contract, so its address is aliased.
    const aliased = (BigInt(genesis.addresses.L1CrossDomainMessenger) + 0x1111000000000000000000000000000000001111n) % 2n ** 160n
    assert.equal(BigInt(deposits[1]?.from as string), aliased)
    assert.equal(deposits[1]?.mintWei, 9n)
  })

  it('accepts deposits from 0.01 on at the address that the interface names', async () => {
    const { OptimismPortal: portal, L1StandardBridge: bridge, DepositEntry: entry } = genesis.addresses
    assert.equal(entry, '0x4200000000000000000000000000000000000010')
    const data = encodeDepositEth(200_000n)
    const least = 10n ** 16n
    const tooSmall = l1.call({ from: alice.address, to: entry, data: bytesToHex(data), value: least - 1n })
    await assert.rejects(
      tooSmall,
      (error: { data?: string }) => error.data?.startsWith(id('BelowMinimum(uint256,uint256)').slice(0, 10)) === true,
    )
    const receipt = await send(alice, entry, data, least)
    const [log] = logsAt(receipt, portal)
    assert.ok(log)
    const deposit = findTransactionDeposited({ address: toAddress(portal), topics: log.topics as Hash[], data: hexToBytes(log.data) })
    assert.equal(deposit?.mintWei, least)
    const initiated = logsAt(receipt, bridge).find(({ topics }) => topics[0] === id('ETHDepositInitiated(address,address,uint256,bytes)'))
    assert.equal(BigInt(initiated?.topics[2] as string), BigInt(alice.address), 'it goes to the sender on L2')
  })

  it('emits a change of the gas limit by the owner', async () => {
    const { SystemConfig: config } = genesis.addresses
    const [log] = logsAt(await send(DEV_ROLES.admin, config, encodeSetGasLimit(40_000_000n)), config)
    // Version and kind are topics; the data holds the new value.
    assert.deepEqual(log?.topics.slice(1).map(BigInt), [0n, BigInt(CONFIG_UPDATE_TYPES.gasLimit)])
    assert.equal(BigInt(`0x${log?.data.slice(-64)}`), 40_000_000n)
  })

  it('accepts an output proposal only from the proposer, for the next block and a canonical L1 block', async () => {
    const { L2OutputOracle: oracle } = genesis.addresses
    await l1.send('evm_increaseTime', [genesis.parameters.submissionIntervalBlocks * genesis.parameters.l2BlockTimeSec + 1])
    await l1.send('evm_mine', [])
    const head = await l1.getBlock('latest')
    const l2BlockNumber = genesis.parameters.submissionIntervalBlocks
    const outputRoot = toHash(`0x${'11'.repeat(32)}`)
    const proposal = (hash: Hash) => encodeProposeL2Output({ outputRoot, l2BlockNumber, l1: { hash, number: head?.number as number } })
    const canonical = toHash(head?.hash as string)
    const refused = (from: DevAccount, data: Uint8Array) => l1.call({ from: from.address, to: oracle, data: bytesToHex(data) })
    await assert.rejects(refused(alice, proposal(canonical)), /only the proposer/)
    await assert.rejects(refused(DEV_ROLES.proposer, proposal(outputRoot)), /block hash does not match/)
    const receipt = await send(DEV_ROLES.proposer, oracle, proposal(canonical))
    assert.deepEqual(logsAt(receipt, oracle)[0]?.topics.slice(0, 2), [OUTPUT_PROPOSED_TOPIC, outputRoot])
    assert.equal(BigInt(bytesToHex(await ask(oracle, OUTPUT_ORACLE_CALLS.nextBlockNumber))), BigInt(2 * l2BlockNumber))
    const stored = decodeL2Output(await ask(oracle, encodeGetL2Output(0n)))
    assert.deepEqual([stored.outputRoot, stored.l2BlockNumber], [outputRoot, l2BlockNumber])
  })

  it('keeps every block, receipt and balance over two restarts', async () => {
    const facts = async () => {
      const head = await l1.getBlockNumber()
      const blocks = await Promise.all(
        Array.from({ length: head + 1 }, (_, i) => l1.send('eth_getBlockByNumber', [`0x${i.toString(16)}`, true])),
      )
      const receipts = await l1.send('eth_getBlockReceipts', ['0x1'])
      return { blocks, receipts, balance: await l1.getBalance(alice.address) }
    }
    const before = await facts()
    assert.ok(before.blocks.length >= 5)
    for (let restart = 1; restart <= 2; restart++) {
      await stop()
      await start()
      assert.deepEqual(await facts(), before, `after restart ${restart}`)
    }
  })
})
