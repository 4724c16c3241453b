/** The agent platform: an HTTP API over the chain's public RPC, and only a user of it. */
export {}
