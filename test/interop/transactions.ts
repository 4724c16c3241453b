import { encodeFunctionData, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import type { World } from './world.ts'

const portal = parseAbi(['function depositTransaction(address to, uint256 value, uint64 gasLimit, bool isCreation, bytes data) payable'])
const TIMEOUT_MS = 90_000
const FEE_WEI = 20_000_000_000n
const DEPOSIT_WEI = 12_345n
/** Init code that stores 42 in slot 0 and deploys one byte. */
const INIT_CODE = '0x602a60005560016000f3'
const ACCOUNT = 5

export interface SentTransaction {
  readonly kind: string
  readonly hash: string
}

export async function sendEveryType(world: World, url: string): Promise<readonly SentTransaction[]> {
  const { accounts, l2 } = world.devnet.facts
  const account = privateKeyToAccount(accounts[ACCOUNT]?.privateKey as `0x${string}`)
  let nonce = Number(await rpcCall<string>(url, 'eth_getTransactionCount', [account.address, 'pending']))
  const to = privateKeyToAccount(generatePrivateKey()).address
  const accessList = [{ address: to, storageKeys: [`0x${'11'.repeat(32)}` as const] }]
  const shared = { chainId: l2.chainId, gas: 100_000n, value: 1n }
  const fees = { maxFeePerGas: FEE_WEI, maxPriorityFeePerGas: 1_000_000n }
  const signed: readonly (readonly [string, () => Promise<string>])[] = [
    ['legacy', () => account.signTransaction({ ...shared, type: 'legacy', to, nonce: nonce++, gasPrice: FEE_WEI })],
    ['eip2930', () => account.signTransaction({ ...shared, type: 'eip2930', to, nonce: nonce++, gasPrice: FEE_WEI, accessList })],
    ['eip1559', () => account.signTransaction({ ...shared, ...fees, type: 'eip1559', to, nonce: nonce++, data: '0x00ff' })],
    ['creation', () => account.signTransaction({ ...shared, ...fees, type: 'eip1559', nonce: nonce++, value: 0n, data: INIT_CODE })],
  ]
  const sent: SentTransaction[] = []
  for (const [kind, sign] of signed) sent.push({ kind, hash: await rpcCall<string>(url, 'eth_sendRawTransaction', [await sign()]) })
  return sent
}

export async function sendDeposit(world: World): Promise<string> {
  const { accounts, contracts, l1 } = world.devnet.facts
  const account = privateKeyToAccount(accounts[ACCOUNT]?.privateKey as `0x${string}`)
  const to = privateKeyToAccount(generatePrivateKey()).address
  const data = encodeFunctionData({ abi: portal, functionName: 'depositTransaction', args: [to, DEPOSIT_WEI, 100_000n, false, '0x'] })
  const raw = await account.signTransaction({
    chainId: l1.chainId,
    type: 'eip1559',
    to: contracts.OptimismPortal as `0x${string}`,
    nonce: Number(await rpcCall<string>(l1.rpcUrl, 'eth_getTransactionCount', [account.address, 'pending'])),
    gas: 500_000n,
    maxFeePerGas: FEE_WEI,
    maxPriorityFeePerGas: 1_000_000_000n,
    value: DEPOSIT_WEI,
    data,
  })
  const hash = await rpcCall<string>(l1.rpcUrl, 'eth_sendRawTransaction', [raw])
  await eventually(
    'the deposit on L1',
    async () => {
      const receipt = await rpcCall<{ status: string } | null>(l1.rpcUrl, 'eth_getTransactionReceipt', [hash])
      if (receipt !== null && receipt.status !== '0x1') throw new Error('the deposit failed on L1')
      return receipt !== null
    },
    TIMEOUT_MS,
  )
  return to
}

export async function assertIncluded(urls: readonly [string, string], sent: readonly SentTransaction[]): Promise<number> {
  let highest = 0
  for (const { kind, hash } of sent) {
    const receipts = await eventually(
      `the ${kind} transaction in a block on both nodes`,
      async () => {
        const found = await Promise.all(
          urls.map((url) => rpcCall<Record<string, unknown> | null>(url, 'eth_getTransactionReceipt', [hash])),
        )
        return found.every((receipt) => receipt !== null) ? (found as Record<string, unknown>[]) : null
      },
      TIMEOUT_MS,
    )
    const [a, b] = receipts as [Record<string, unknown>, Record<string, unknown>]
    if (a.status !== '0x1') throw new Error(`the ${kind} transaction failed`)
    for (const key of ['blockHash', 'status', 'gasUsed', 'type', 'contractAddress', 'logsBloom', 'l1Fee', 'effectiveGasPrice']) {
      if (a[key] !== b[key]) throw new Error(`the ${kind} transaction's ${key}: ${urls[0]} says ${a[key]}, ${urls[1]} says ${b[key]}`)
    }
    highest = Math.max(highest, Number(a.blockNumber))
  }
  return highest
}

export async function assertDeposited(url: string, to: string): Promise<void> {
  await eventually(
    'the deposit on L2',
    async () => BigInt(await rpcCall<string>(url, 'eth_getBalance', [to, 'latest'])) === DEPOSIT_WEI,
    TIMEOUT_MS,
  )
}
