import { fastifySwaggerUi } from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

export const DOCS_PATH = '/docs'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'"

export async function addDocsPage(app: FastifyInstance): Promise<void> {
  await app.register(fastifySwaggerUi, {
    routePrefix: DOCS_PATH,
    staticCSP: POLICY,
    theme: { title: 'Keelson agent platform: API' },
    uiConfig: { url: '/openapi.json', filter: true, persistAuthorization: true, validatorUrl: null },
  })
}
