/** Tasks of the Tasks contract, and what it and the Agents contract did lately. */
import { decodeParameters, decodeUint, encodeCall } from '@keelson/contracts/abi'
import { bytesToHex, hexToBytes } from '@keelson/primitives'
import { rpc, rpcAll } from '../../data/rpc.ts'
import { toQuantity } from '../../format/hex.ts'

export interface TaskJson {
  readonly id: number
  readonly status: number
  readonly agent: string
}

export interface LogJson {
  readonly topics: readonly string[]
  readonly data: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly logIndex: string
}

export interface TasksView {
  readonly count: number
  /** Newest first. */
  readonly tasks: readonly TaskJson[]
  readonly logs: readonly LogJson[]
  /** First block whose events were read. */
  readonly fromBlock: number
}

const MAX_TASKS = 20
const MAX_LOGS = 50
const BLOCKS_OF_REQUEST = 2_000
const REQUESTS = 5
const NOBODY = `0x${'0'.repeat(40)}`

/** Throws Refusal and RpcRefusal. */
export async function fetchTasks(tasksContract: string, agentsContract: string): Promise<TasksView> {
  const head = Number(await rpc<string>('eth_blockNumber', []))
  const call = (signature: string, args: readonly bigint[]) => ({
    method: 'eth_call',
    params: [{ to: tasksContract, data: bytesToHex(encodeCall(signature, args)) }, toQuantity(head)],
  })
  const [next] = await rpcAll([call('nextTaskId()', [])])
  if (typeof next !== 'string' || next === '0x') throw new Error('the node does not answer for the Tasks contract')
  const count = Number(decodeUint(hexToBytes(next))) - 1
  const ids = Array.from({ length: Math.min(count, MAX_TASKS) }, (_, i) => count - i)
  const answers = await rpcAll(ids.map((id) => call('getTaskStatus(uint256)', [BigInt(id)])))
  const tasks = ids.flatMap((id, i) => {
    const answer = answers[i]
    if (typeof answer !== 'string') return []
    const [status, agent] = decodeParameters('uint8,address,bytes32', hexToBytes(answer))
    return [{ id, status: Number(status), agent: agent === NOBODY ? '' : String(agent) }]
  })
  const fromBlock = Math.max(0, head - BLOCKS_OF_REQUEST * REQUESTS + 1)
  return { count, tasks, logs: await fetchLogs([tasksContract, agentsContract], fromBlock, head), fromBlock }
}

async function fetchLogs(address: readonly string[], from: number, head: number): Promise<readonly LogJson[]> {
  const starts = Array.from({ length: Math.ceil((head - from + 1) / BLOCKS_OF_REQUEST) }, (_, i) => from + i * BLOCKS_OF_REQUEST)
  const range = (start: number) => ({ fromBlock: toQuantity(start), toBlock: toQuantity(Math.min(head, start + BLOCKS_OF_REQUEST - 1)) })
  const answers = await rpcAll(starts.map((start) => ({ method: 'eth_getLogs', params: [{ address, ...range(start) }] })))
  return answers
    .flatMap((answer) => (Array.isArray(answer) ? (answer as LogJson[]) : []))
    .reverse()
    .slice(0, MAX_LOGS)
}
