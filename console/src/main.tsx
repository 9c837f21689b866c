import { createRoot } from 'react-dom/client'
import { App, reloadForNewVersion, surviveTranslation } from './app/app.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element with the id "root"')

surviveTranslation()
window.addEventListener('vite:preloadError', reloadForNewVersion)
createRoot(root).render(<App />)
