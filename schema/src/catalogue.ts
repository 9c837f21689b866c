import { deleteApiKey, listApiKeys, saveApiKey, testApiKey } from './api-keys.ts'
import { getToken, login, logout, oauthToken } from './auth.ts'
import { bitgetEndpoints } from './bitget.ts'
import { createClient, deleteClient, listClients, toggleClient, updateClient } from './clients.ts'
import type { Endpoint } from './endpoint.ts'
import { listLogs } from './logs.ts'
import { mexcEndpoints } from './mexc.ts'
import { getMetrics, healthLive, healthReady, openApi } from './operations.ts'
import { dropQueueEntry, listQueue, resumeExchange, stopExchange } from './queue.ts'
import { getRequest, withdrawRequest } from './requests.ts'
import { getStats } from './stats.ts'

/** Every endpoint of the gateway, in the order in which OpenAPI and the console show them. */
export const catalogue: readonly Endpoint[] = [
  login,
  logout,
  getToken,
  oauthToken,
  listClients,
  createClient,
  updateClient,
  toggleClient,
  deleteClient,
  listApiKeys,
  saveApiKey,
  deleteApiKey,
  testApiKey,
  getStats,
  listLogs,
  listQueue,
  dropQueueEntry,
  stopExchange,
  resumeExchange,
  ...mexcEndpoints,
  ...bitgetEndpoints,
  getRequest,
  withdrawRequest,
  healthLive,
  healthReady,
  getMetrics,
  openApi,
]
