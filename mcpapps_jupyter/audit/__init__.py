"""What runs here, what its pages may do, what was decided so far, and what to change."""

from mcpapps_jupyter.audit.collect import audit_host
from mcpapps_jupyter.audit.report import AppAudit, Audit, PageAudit

__all__ = ["AppAudit", "Audit", "PageAudit", "audit_host"]
