import { join } from 'node:path'
import { eventually } from '../../support/eventually.ts'
import type { ProcessSet } from '../process-set.ts'
import type { ComparedChain } from './chain.ts'
import { resultOf } from './json-rpc.ts'

const HTTP_PORT = 8545
const AUTH_PORT = 8551

/** Starts the binary on a database of its own, or takes a running geth. Either has the chain, or there is no comparison. */
export async function openGeth(given: string, chain: ComparedChain, processes: ProcessSet, portOffset: number): Promise<string> {
  const isUrl = /^https?:\/\//.test(given)
  const url = isUrl ? given : await startGeth(given, processes, portOffset)
  const head = (await resultOf(url, 'eth_getBlockByNumber', ['latest', false])) as { readonly hash: string; readonly number: string }
  if (head.hash !== chain.head.hash)
    throw new Error(
      `geth is at block ${Number(head.number)} ${head.hash}, expected ${chain.head.number} ${chain.head.hash}` +
        (isUrl
          ? `: give it genesis.json by \`geth init\` and chain.rlp by \`geth import\`, which --keep leaves in ${processes.folder}`
          : ''),
    )
  return url
}

async function startGeth(path: string, processes: ProcessSet, portOffset: number): Promise<string> {
  const data = ['--datadir', join(processes.folder, 'geth')]
  await processes.run('geth-init', path, ['init', ...data, join(processes.folder, 'genesis.json')])
  await processes.run('geth-import', path, ['import', ...data, '--gcmode', 'archive', join(processes.folder, 'chain.rlp')])
  const httpPort = String(HTTP_PORT + portOffset)
  const geth = processes.start('geth', path, [
    ...data,
    ...['--gcmode', 'archive', '--nodiscover', '--maxpeers', '0', '--port', '0', '--ipcdisable'],
    ...['--http', '--http.port', httpPort, '--http.api', 'eth,net,web3,debug,txpool', '--authrpc.port', String(AUTH_PORT + portOffset)],
  ])
  const url = `http://127.0.0.1:${httpPort}`
  const ended = geth.ended.then((tail): never => {
    throw new Error(`geth ended: ${tail}`)
  })
  ended.catch(() => undefined)
  await Promise.race([eventually('an answer of geth', () => resultOf(url, 'web3_clientVersion')), ended])
  return url
}
