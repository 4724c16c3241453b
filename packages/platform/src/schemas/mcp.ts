import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { EXAMPLES } from './examples.ts'

/** The answer repeats the id as it was written, so its size has no limit. */
const WholeNumber = z.number().refine(Number.isInteger, 'Input should be a whole number').meta({ type: 'integer' })
const MessageId = z.union([z.string().max(256), WholeNumber])

export const McpMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0').optional().describe('JSON-RPC version'),
    id: MessageId.optional().describe(
      'Repeated in the answer. A message with jsonrpc and without id is a notification and is not answered',
    ),
    method: z.string().min(1).max(128).describe('initialize, ping, tools/list, tools/call or notifications/*'),
    params: z.record(z.string(), z.any()).optional().describe('For tools/call: {name, arguments}'),
  })
  .meta({ id: 'McpMessage', example: EXAMPLES.mcp })
export type McpMessage = z.output<typeof McpMessage>

export const MAX_MESSAGES = 8

export const McpMessages = z.union([McpMessage, z.array(McpMessage).min(1).max(MAX_MESSAGES)])

export const McpAnswer = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: MessageId.nullable().describe('Id of the request; null when it had none'),
    result: z.record(z.string(), z.any()).optional(),
    error: z
      .looseObject({ code: z.int(), message: z.string() })
      .optional()
      .describe(
        '-32600 for an unknown field, -32601 for an unknown method, -32602 for invalid params or an unknown tool. A tool that fails returns a result with isError',
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
    .describe('Session from the endpoint event of /mcp/sse. Default: none, with the answer in the body'),
})

export const McpHeaders = z.object({
  'mcp-session-id': z.string().max(128).optional().describe('Session id from initialize'),
  'mcp-protocol-version': z
    .string()
    .max(64)
    .optional()
    // The specification of the protocol wants a 400 for another version, so it is not refused here.
    .meta({ description: 'Protocol version agreed in initialize', enum: SUPPORTED_PROTOCOL_VERSIONS }),
})

export const McpListenHeaders = McpHeaders.extend({
  'last-event-id': z.string().max(64).optional().describe('Resumes after this event. Default: messages that answer no request'),
})

export const McpEnded = z.object({ message: z.string() }).meta({ id: 'McpEnded' })

export const McpEvents = z
  .union([McpAnswer, z.string().describe('Address for messages, in the endpoint event of /mcp/sse; empty in an event that only has an id')])
  .describe('Data of an event. Comments are heartbeats')
