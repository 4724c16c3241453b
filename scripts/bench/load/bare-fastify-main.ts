/** Baseline of platform-load.ts: the platform's tokens, sessions and validation, but constant answers. */
import fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { jwtVerify } from 'jose'
import { Pool } from 'pg'
import { z } from 'zod'
import { Message } from '../../../packages/platform/src/schemas/chat.ts'
import { PseudoQuoteRequest } from '../../../packages/platform/src/schemas/quote.ts'

const { port, databaseUrl, secretHex } = JSON.parse(process.argv[2] ?? '{}') as Readonly<
  Record<'port' | 'databaseUrl' | 'secretHex', string>
>
const secret = Buffer.from(secretHex, 'hex')
const pool = new Pool({ connectionString: databaseUrl, max: 10 })
const app = fastify()
app.setValidatorCompiler(validatorCompiler)
app.setSerializerCompiler(serializerCompiler)

app.addHook('preValidation', async (request, reply) => {
  try {
    const { payload } = await jwtVerify((request.headers.authorization ?? '').slice(7), secret, { audience: 'keelson:session' })
    const { rowCount } = await pool.query('select id from sessions where id = $1 and user_id = $2', [payload.sid, payload.sub])
    if (rowCount === 1) return
  } catch {
    // Same response as for a deleted session.
  }
  await reply.code(401).send({ detail: 'Not authenticated' })
})

const chat = z.object({ messages: z.array(Message).min(1) })
app.post('/api/v1/chatbot/chat', { schema: { body: chat } }, async (request) => ({
  messages: [
    ...(request.body as z.infer<typeof chat>).messages,
    { role: 'assistant', content: 'The price of the native coin is 2,500 USD.' },
  ],
}))
app.post('/api/v1/multi-agent/quote/evm/pseudo', { schema: { body: PseudoQuoteRequest } }, async () => ({
  route: ['in', 'out'],
  expected_out: '2492.5',
  price_impact_bps: 0,
  slippage_bps: 50,
  fees: { swap_fee_bps: 30 },
  gas_estimate: null,
  venue: 'oracle_reference',
  quote_id: 'q_1',
  expires_at: new Date().toISOString(),
}))
app.get('/api/v1/metrics/volume', async () => {
  const { rows } = await pool.query('select coalesce(sum(amount_in_usd), 0)::float8 as total from trades where user_id = $1', [1])
  return { total_volume_usd: rows[0].total, by_agent: [] }
})
await app.listen({ host: '127.0.0.1', port: Number(port) })
console.log('listening')
