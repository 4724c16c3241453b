/** Messages of a conversation. */
import { z } from 'zod'

export const MAX_MESSAGE_CHARACTERS = 3_000

export const Message = z
  .object({
    role: z.enum(['user', 'assistant', 'system']),
    content: z.string().min(1).max(MAX_MESSAGE_CHARACTERS),
  })
  .meta({ id: 'Message' })
export type Message = z.infer<typeof Message>
