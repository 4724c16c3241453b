import type { DevnetFile } from '../prepare/devnet-file.ts'
import type { JsonRpc } from '../screen/heads.ts'

export interface ChainTimes {
  readonly l1Sec: number
  readonly l2Sec: number
}

export async function readTimes({ l1, l2 }: DevnetFile, rpc: (url: string) => JsonRpc): Promise<ChainTimes> {
  const headSec = async (url: string) =>
    Number(((await rpc(url).request('eth_getBlockByNumber', ['latest', false])) as { timestamp: string }).timestamp)
  const [l1Sec, l2Sec] = await Promise.all([headSec(l1.rpcUrl), headSec(l2.rpcUrl)])
  return { l1Sec, l2Sec }
}
