import assert from 'node:assert/strict'
import { createPublicClient, createWalletClient, defineChain, encodeFunctionData, http, parseAbi, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { batchTypes, blockAt, blockHashes, syncStatus } from '../support/chain-reading.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually, growsTo } from '../support/eventually.ts'
import { startFollower } from '../support/follower-process.ts'
import { rpcCall } from '../support/json-rpc.ts'

const { offset: PORT_OFFSET, spare: FOLLOWER_PORT } = await claimE2ePorts()
const portal = parseAbi(['function depositTransaction(address to, uint256 value, uint64 gasLimit, bool isCreation, bytes data) payable'])
const chainOf = (id: number, url: string) =>
  defineChain({ id, name: 'test', nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 }, rpcUrls: { default: { http: [url] } } })

async function sendDeposit({ facts }: DevnetProcess, to: `0x${string}`, valueWei: bigint): Promise<void> {
  const { l1, accounts, contracts } = facts
  const chain = chainOf(l1.chainId, l1.rpcUrl)
  const wallet = createWalletClient({
    chain,
    transport: http(l1.rpcUrl),
    account: privateKeyToAccount(accounts[8]?.privateKey as `0x${string}`),
  })
  const data = encodeFunctionData({ abi: portal, functionName: 'depositTransaction', args: [to, valueWei, 100_000n, false, '0x'] })
  const hash = await wallet.sendTransaction({ to: contracts.OptimismPortal as `0x${string}`, value: valueWei, data })
  const receipt = await createPublicClient({ chain, transport: http(l1.rpcUrl) }).waitForTransactionReceipt({ hash, pollingInterval: 200 })
  assert.equal(receipt.status, 'success')
}

async function sendTransfers({ facts }: DevnetProcess, count: number): Promise<readonly string[]> {
  const chain = chainOf(facts.l2.chainId, facts.l2.rpcUrl)
  const wallet = createWalletClient({
    chain,
    transport: http(facts.l2.rpcUrl),
    account: privateKeyToAccount(facts.accounts[1]?.privateKey as `0x${string}`),
  })
  const client = createPublicClient({ chain, transport: http(facts.l2.rpcUrl) })
  const first = await client.getTransactionCount({ address: wallet.account.address, blockTag: 'pending' })
  return Promise.all(
    Array.from({ length: count }, (_, i) =>
      wallet.sendTransaction({ to: facts.accounts[2]?.address as `0x${string}`, value: parseEther('0.001'), nonce: first + i }),
    ),
  )
}

const included = async (devnet: DevnetProcess, hash: string) => {
  const receipt = await rpcCall<{ blockNumber: string } | null>(devnet.facts.l2.rpcUrl, 'eth_getTransactionReceipt', [hash])
  return receipt === null ? null : Number(receipt.blockNumber)
}

describe('a node that reads only L1', () => {
  const folder = newDevnetFolder()
  let devnet: DevnetProcess | undefined

  after(() => devnet?.remove())

  it("derives the sequencer's hashes over a restart, calldata, blobs and deposits", async () => {
    const fast = ['--l1.block-time-sec', '2', '--sequencer.l1-confirmations', '2']
    devnet = await startDevnet(folder, PORT_OFFSET, [
      ...fast,
      ...withServices(),
      '--batcher.data-availability',
      'calldata',
      '--batcher.compression',
      'zlib',
    ])
    await sendDeposit(devnet, '0x00000000000000000000000000000000000000aa', 777n)
    const calldataTransfers = await sendTransfers(devnet, 20)
    const lastCalldata = await eventually('the inclusion of a calldata transfer', () =>
      included(devnet as DevnetProcess, calldataTransfers.at(-1) as string),
    )
    const { rollupRpcUrl } = devnet.facts.l2
    await eventually('safe calldata transfers', async () => (await syncStatus(rollupRpcUrl)).safe_l2.number >= lastCalldata)
    const before = await blockAt(devnet.facts.l2.rpcUrl, 'latest')
    const stopped = await devnet.interrupt()
    assert.equal(stopped.code, 0)
    console.log(`      the network stopped in ${stopped.elapsedMs.toFixed(0)} ms`)

    devnet = await startDevnet(folder, PORT_OFFSET, [...fast, ...withServices(), '--batcher.data-availability', 'blobs'])
    const { l2 } = devnet.facts
    const headBefore = Number(before?.number)
    assert.equal((await blockAt(l2.rpcUrl, headBefore))?.hash, before?.hash, 'the chain continues where it stopped')
    const blobTransfers = await sendTransfers(devnet, 20)
    const lastBlob = await eventually('the inclusion of a blob transfer', () =>
      included(devnet as DevnetProcess, blobTransfers.at(-1) as string),
    )
    const safe = await eventually('safe blob transfers', async () => {
      const status = await syncStatus(l2.rollupRpcUrl)
      return status.safe_l2.number >= lastBlob ? status.safe_l2 : null
    })
    assert.deepEqual([...(await batchTypes(devnet))].sort(), [2, 3])

    const follower = startFollower(devnet, FOLLOWER_PORT)
    try {
      await growsTo('the follower', safe.number, async () => (await syncStatus(follower.rollupRpcUrl)).safe_l2.number)
      assert.deepEqual(await blockHashes(follower.rpcUrl, safe.number), await blockHashes(l2.rpcUrl, safe.number))
      let deposits = 0
      for (let number = 1; number <= safe.number; number++) {
        const block = await blockAt(follower.rpcUrl, number)
        deposits += (block?.transactions ?? []).filter((tx) => tx.type === '0x7e').length - 1
      }
      assert.ok(deposits >= 1, 'no block holds a user deposit')
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : String(error)}\n${follower.output.slice(-30).join('')}`, { cause: error })
    } finally {
      await follower.remove()
    }
  })
})
