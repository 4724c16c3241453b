/** Messages of the tool protocol (MCP) as they go over HTTP. */

import { z } from 'zod'
import { EXAMPLES } from './examples.ts'

const MessageId = z.union([z.string().max(256), z.int()])

export const McpMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0').optional().describe('JSON-RPC, where it is spoken'),
    id: MessageId.optional().describe('Of a request; its answer has the same. A message with jsonrpc and without an id is not answered'),
    method: z.string().min(1).max(128).describe('initialize, ping, tools/list, tools/call; notifications/* are taken and not answered'),
    params: z.record(z.string(), z.any()).optional().describe('Of tools/call: {name, arguments}'),
  })
  .meta({ id: 'McpMessage', example: EXAMPLES.mcp })
export type McpMessage = z.output<typeof McpMessage>

/** Several at once, as the protocol had it for a while; one session has no more under way. */
export const MAX_MESSAGES = 8

export const McpMessages = z.union([McpMessage, z.array(McpMessage).min(1).max(MAX_MESSAGES)])

export const McpAnswer = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: MessageId.nullable().describe('Of the request; null where it had none'),
    result: z.record(z.string(), z.any()).optional(),
    error: z
      .looseObject({ code: z.int(), message: z.string() })
      .optional()
      .describe(
        '-32600 for a message with an unknown field, -32601 for an unknown method, -32602 for wrong params or an unknown tool; a tool that fails is a result with isError',
      ),
  })
  .meta({ id: 'McpAnswer' })
export type McpAnswer = z.output<typeof McpAnswer>

export const McpAnswers = z.union([McpAnswer, z.array(McpAnswer)])

export const McpSessionQuery = z.object({
  sessionId: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe('As the endpoint event of /mcp/sse gave it; without it the answer is in the body'),
})

export const McpHeaders = z.object({
  'mcp-session-id': z.string().max(128).optional().describe('As initialize gave it'),
  'mcp-protocol-version': z.string().max(64).optional().describe('As agreed in initialize'),
})

export const McpListenHeaders = McpHeaders.extend({
  'last-event-id': z.string().max(64).optional().describe('Goes on after this event; without it, only what no request asked for'),
})

export const McpEnded = z.object({ message: z.string() }).meta({ id: 'McpEnded' })

export const McpEvents = z
  .union([
    McpAnswer,
    z.string().describe('Where to post messages, in the event endpoint of /mcp/sse; nothing, in an event that only gives an id'),
  ])
  .describe('The data of each event. Comments come in between')
