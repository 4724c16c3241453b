/** Messages of a conversation. */
import { z } from 'zod'

export const MAX_MESSAGE_CHARACTERS = 3_000
export const MAX_REQUEST_MESSAGES = 100

export const Message = z
  .object({
    role: z.enum(['user', 'assistant', 'system']).describe('Who said it; the newest of a request is of the user'),
    content: z.string().min(1).max(MAX_MESSAGE_CHARACTERS).meta({ example: 'What is the price of ETH?' }),
  })
  .meta({ id: 'Message' })
export type Message = z.infer<typeof Message>

export const ChatRequest = z
  .object({
    messages: Message.array()
      .min(1)
      .max(MAX_REQUEST_MESSAGES)
      .describe("The newest message alone, or the conversation so far; the last is the user's"),
  })
  .meta({ id: 'ChatRequest' })

export const ChatResponse = z.object({ messages: Message.array() }).meta({ id: 'ChatResponse' })

export const ChatEvents = z
  .string()
  .describe('data: Messages whose content is the next fragment, each with an id; event error {detail}; data: [DONE] at the end')
