import assert from 'node:assert/strict'
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js'
import type { ContractCase, ContractTable } from '../../support/platform/contract-case.ts'
import type { ContractWorld } from '../../support/platform/contract-world.ts'

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const NOTE = { jsonrpc: '2.0', method: 'notifications/initialized' }
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo: { name: 'contract', version: '1' } },
}
const FOREIGN = { origin: 'https://elsewhere.example' }
const UNKNOWN_VERSION = { 'mcp-protocol-version': '1999-01-01' }
const NO_SESSION = { 'mcp-session-id': 'none' }

const foreignPage: ContractCase = (_world, ask) => ask({ json: LIST, headers: FOREIGN })
const unknownVersion: ContractCase = (_world, ask) => ask({ json: LIST, headers: UNKNOWN_VERSION })
const noSession: ContractCase = (_world, ask) => ask({ json: LIST, headers: NO_SESSION })

async function opened(world: ContractWorld): Promise<{ 'mcp-session-id': string }> {
  const { headers, text } = await world.ask('POST /mcp', { json: INITIALIZE, token: world.mine.session })
  return { 'mcp-session-id': headers['mcp-session-id'] ?? assert.fail(text) }
}

const listed: ContractCase = async (_world, ask) => {
  const answer = await ask({ json: LIST })
  assert.ok(answer.body.result.tools.length > 0, answer.text)
  return answer
}

export const MCP: ContractTable = {
  'GET /mcp/sse': {
    cases: {
      async 200(_world, ask) {
        const answer = await ask({ stream: '\n\n' })
        assert.match(answer.text, /^event: endpoint\ndata: \/mcp\/messages\?sessionId=/m)
        return answer
      },
      '400 a version it does not know': (_world, ask) => ask({ headers: UNKNOWN_VERSION }),
      '403 a page of another origin': (_world, ask) => ask({ headers: FOREIGN }),
    },
  },
  'POST /mcp/messages': {
    valid: () => ({ json: LIST }),
    cases: {
      '200 answered in the body': listed,
      '202 a notification': (_world, ask) => ask({ json: NOTE }),
      '400 a version it does not know': unknownVersion,
      '403 a page of another origin': foreignPage,
      '404 no such session': (_world, ask) => ask({ json: LIST, query: { sessionId: 'none' } }),
    },
  },
  'POST /mcp': {
    valid: () => ({ json: LIST }),
    cases: {
      '200 without a session': listed,
      '202 a notification': (_world, ask) => ask({ json: NOTE }),
      '400 a version it does not know': unknownVersion,
      '403 a page of another origin': foreignPage,
      '404 no such session': noSession,
      '422 no method': (_world, ask) => ask({ json: { jsonrpc: '2.0', id: 1 } }),
    },
  },
  'GET /mcp': {
    cases: {
      '200 listening': async (world, ask) => ask({ headers: { ...(await opened(world)), accept: 'text/event-stream' } }),
      '400 no session is named': (_world, ask) => ask(),
      '403 a page of another origin': (_world, ask) => ask({ headers: FOREIGN }),
      '404 no such session': (_world, ask) => ask({ headers: NO_SESSION }),
    },
  },
  'DELETE /mcp': {
    cases: {
      200: async (world, ask) => ask({ headers: await opened(world) }),
      '400 no session is named': (_world, ask) => ask(),
      '403 a page of another origin': (_world, ask) => ask({ headers: FOREIGN }),
      '404 no such session': (_world, ask) => ask({ headers: NO_SESSION }),
    },
  },
}
