import assert from 'node:assert/strict'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { importExportedChain, openL1Node, request } from '../l1-node.ts'
import type { VectorFolder } from '../vectors/vector-folder.ts'

const CHAINS = [
  { prefix: 'hive/devp2p-chain/', chain: /\.rlp$/, genesis: 'hive/devp2p-chain/genesis.json' },
  { prefix: 'hive/graphql/init/', chain: /\.blocks$/, genesis: 'hive/graphql/init/testGenesis.json' },
]
const ZERO = `0x${'00'.repeat(32)}`

async function importWhole(folder: VectorFolder, genesis: string, path: string): Promise<void> {
  const node = await openL1Node(folder.json(genesis))
  const { head } = await importExportedChain(node, folder.bytes(path))
  const forkchoice = { headBlockHash: head, safeBlockHash: ZERO, finalizedBlockHash: ZERO }
  await request(node.engineMethods, { id: 1, method: 'engine_forkchoiceUpdatedV1', params: [forkchoice, null] })
  const latest = (await request(node.methods, { id: 2, method: 'eth_getBlockByNumber', params: ['latest', false] })) as { hash: string }
  assert.equal(latest.hash, head)
  await node.stop()
}

export const hiveChain: ConformanceGroup = {
  name: 'hive-chain',
  under: CHAINS.map(({ prefix }) => prefix),
  load: (folder): ConformanceCase[] =>
    CHAINS.flatMap(({ prefix, chain, genesis }) =>
      folder.casesOf(folder.paths(prefix, chain), (path) => {
        folder.json(genesis)
        return [{ id: path.slice('hive/'.length), run: () => importWhole(folder, genesis, path) }]
      }),
    ),
}
