"""What the arena uses of SQLAlchemy; the one place that says how to install it."""

from __future__ import annotations

from rankwise.errors import MissingExtra

try:
    from sqlalchemy import Boolean as Boolean
    from sqlalchemy import Column as Column
    from sqlalchemy import Connection as Connection
    from sqlalchemy import Double as Double
    from sqlalchemy import Engine as Engine
    from sqlalchemy import Index as Index
    from sqlalchemy import Integer as Integer
    from sqlalchemy import LargeBinary as LargeBinary
    from sqlalchemy import MetaData as MetaData
    from sqlalchemy import Row as Row
    from sqlalchemy import String as String
    from sqlalchemy import Table as Table
    from sqlalchemy import Text as Text
    from sqlalchemy import UniqueConstraint as UniqueConstraint
    from sqlalchemy import create_engine as create_engine
    from sqlalchemy import event as event
    from sqlalchemy import func as func
    from sqlalchemy import insert as insert
    from sqlalchemy import inspect as inspect
    from sqlalchemy import select as select
    from sqlalchemy import update as update
    from sqlalchemy.exc import ArgumentError as ArgumentError
    from sqlalchemy.exc import NoSuchModuleError as NoSuchModuleError
    from sqlalchemy.exc import OperationalError as OperationalError
except ImportError as error:
    raise MissingExtra("an arena", "arena") from error
