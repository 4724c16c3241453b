/** Requests without a session: a conversation that lasts for one exchange, answered in the body. */
import type { McpAnswer, McpMessage } from '../schemas/mcp.ts'
import type { McpConnection } from './connection.ts'
import { messageFault } from './message-fault.ts'
import type { McpUser } from './tool-calls.ts'

/**
 * The answers, none for a notification. A message that does not say it is of JSON-RPC is answered even without an id.
 * Throws the reason of the server's stop when that comes first.
 */
export async function answerOnce(
  messages: readonly McpMessage[],
  user: McpUser,
  connect: (user: McpUser) => Promise<McpConnection>,
): Promise<readonly McpAnswer[]> {
  const asked = messages.filter(isRequest)
  if (asked.length === 0) return []
  const connection = await connect(user)
  try {
    // no id that was sent has a null character, so these are nobody else's
    const answers = await Promise.all(
      asked.map(async (message, i) => {
        const { id = `\0${i}` } = message
        const answer = (await connection.receive({ ...message, id })) as McpAnswer
        return message.id === undefined ? { ...answer, id: null } : answer
      }),
    )
    user.stopping.throwIfAborted()
    return answers
  } finally {
    connection.close()
  }
}

/** An unreadable message gets an answer even if it could be a notification, because its sender may wait for one. */
function isRequest(message: McpMessage): boolean {
  const { id, jsonrpc, method } = message
  return id !== undefined || (jsonrpc === undefined && !method.startsWith('notifications/')) || messageFault(message) !== null
}
