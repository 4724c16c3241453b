import { z } from 'zod'
import { EXAMPLES } from './examples.ts'

export const MAX_MESSAGE_CHARACTERS = 3_000

export const Message = z
  .object({
    role: z.enum(['user', 'assistant', 'system']).describe("Author. The last message of a request must be the user's"),
    content: z.string().min(1).max(MAX_MESSAGE_CHARACTERS).meta({ example: 'What is the price of ETH?' }),
  })
  .meta({ id: 'Message' })
export type Message = z.infer<typeof Message>

export const ChatRequest = z
  .object({
    messages: Message.array()
      .min(1)
      .describe("The newest message or the whole conversation, of which the newest 100 messages are read. The last is the user's"),
  })
  .meta({ id: 'ChatRequest', example: EXAMPLES.chat })

export const ChatResponse = z.object({ messages: Message.array() }).meta({ id: 'ChatResponse' })

export const ChatFragment = z
  .object({
    role: z.literal('assistant'),
    content: z.string().min(1).meta({ description: 'Next part of the answer', example: '1 ETH = 2500 USD' }),
    error: z.literal(true).optional().describe('The answer is incomplete; content is the reason and not part of the answer'),
  })
  .meta({ id: 'ChatFragment' })
export type ChatFragment = z.infer<typeof ChatFragment>

export const ChatEvents = z
  .union([ChatFragment, z.literal('[DONE]')])
  .describe('Data of an event: a fragment of the answer, or [DONE] at the end. Comments are heartbeats')
