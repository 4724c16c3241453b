import { join } from 'node:path'
import { createAnswerWatch, watchedRpc } from '@keelson/client'
import { createBeaconShim, createBlobArchive, createBlobSource, createL1Blocks } from '@keelson/devnet/beacon'
import { option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../command.ts'
import { createKzg } from '../crypto/kzg.ts'
import { AssemblyError } from '../errors.ts'
import { createL1Silence } from '../l1/l1-silence.ts'
import { closing, openRole, roleOptions } from '../role/role.ts'
import { virtualHostsOption } from '../role/virtual-hosts.ts'
import { CLIENT_VERSION } from '../version.ts'

const GIB = 1024 ** 3

const options = {
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder for the archived blobs.' }),
  l1Rpc: option({ key: 'l1.rpc', parse: parse.httpUrl, description: 'RPC of the development L1 (anvil).' }),
  host: option({ key: 'host', parse: parse.text, default: '127.0.0.1', description: 'Address to listen on.' }),
  port: option({ key: 'port', parse: parse.port, default: 7546, description: 'Port of the beacon API.' }),
  virtualHosts: virtualHostsOption('vhosts', 'the beacon API'),
  pollIntervalMs: option({
    key: 'pollIntervalMs',
    parse: parse.integer(10, 60_000),
    default: 500,
    description: 'Milliseconds between two looks at L1.',
  }),
  maxBytes: option({
    key: 'maxBytes',
    parse: parse.integer(1),
    default: 4 * GIB,
    description: 'Bytes of blobs kept; the oldest go first.',
  }),
  ...roleOptions,
} as const

export const beaconCommand = defineCommand({
  name: 'beacon',
  summary: 'blobs of a development L1, archived and served as a beacon node does',
  usage: '--l1.rpc URL --data-dir FOLDER [options]',
  options,
  async run(values) {
    const role = openRole('beacon', values)
    const answers = createAnswerWatch(role.clock)
    const l1 = watchedRpc(role.rpc(values.l1Rpc), answers)
    const blocks = createL1Blocks(l1)
    const genesis = await blocks.byNumber(0)
    if (genesis === null) throw new AssemblyError('node/usage', `the L1 at ${l1.host} has no block 0: it is not a development L1 of ours`)
    const kzg = createKzg()
    const shim = createBeaconShim(
      {
        host: values.host,
        port: values.port,
        virtualHosts: values.virtualHosts,
        pollIntervalMs: values.pollIntervalMs,
        version: CLIENT_VERSION,
        chainId: BigInt((await l1.call('eth_chainId', [])) as string),
        genesisTimeSec: genesis.timestampSec,
      },
      {
        blocks,
        source: createBlobSource(l1),
        archive: await createBlobArchive(join(values.dataDir, 'blobs'), values.maxBytes),
        kzg,
        clock: role.clock,
        log: role.log,
      },
    )
    return role.run([closing('kzg', kzg.close), createL1Silence(answers, l1.host, role), shim])
  },
})
