/** The two ends of the subblock stream. specs: protocol/subblocks.md#websocket-stream */
import type { ExecutionNode } from '@keelson/execution'
import {
  type BroadcastServer,
  createBroadcastServer,
  createSocketClient,
  type OptionValues,
  optionalOption,
  optionParsers as parse,
  type Service,
  type SocketClient,
} from '@keelson/runtime'
import type { Role } from '../role/role.ts'

export const subblockOptions = {
  subblocksPort: optionalOption({
    key: 'subblocks.port',
    parse: parse.port,
    description:
      'Publish the blocks that this node builds in parts, every 200 ms, over WebSocket on this port and the host of --http.host, ' +
      'for nodes with --subblocks.url. This node itself answers from sealed blocks.',
  }),
  subblocksUrl: optionalOption({
    key: 'subblocks.url',
    parse: parse.wsUrl,
    description:
      'WebSocket URL of the sequencer’s subblocks (also called Flashblocks). The pending block and receipts then follow the block that is being built.',
  }),
} as const

/** Several blocks of 1,000 transactions, with receipts. */
const MAX_MESSAGE_BYTES = 32 * 2 ** 20

type SubblockValues = OptionValues<typeof subblockOptions> & { readonly httpHost: string; readonly httpVirtualHosts: readonly string[] }

/** Null without --subblocks.port. */
export function openSubblockServer(values: SubblockValues, role: Role): BroadcastServer | null {
  const { subblocksPort: port, httpHost: host, httpVirtualHosts: virtualHosts } = values
  if (port === null) return null
  return createBroadcastServer({ name: 'subblocks', host, port, option: '--subblocks.port', virtualHosts }, role)
}

/** Null without --subblocks.url. */
export function followSubblocks(url: string | null, { subblocks }: Pick<ExecutionNode, 'subblocks'>, role: Role): Service | null {
  if (url === null || subblocks === null) return null
  const log = role.log.child('subblocks')
  let client: SocketClient | null = null
  return {
    name: 'subblock client',
    async start() {
      const opened = createSocketClient({ url, maxMessageBytes: MAX_MESSAGE_BYTES }, role, {
        onOpen: () => log.info('following the subblock stream', { host: opened.host }),
        onMessage: (text) => subblocks.receive(text),
        onDown(reason) {
          subblocks.lost()
          log.warn('the subblock stream is down: pending is the head', { host: opened.host, reason })
        },
      })
      client = opened
    },
    async stop() {
      client?.close()
    },
  }
}
